import { readFileSync } from 'node:fs'

export type Environment = Readonly<Record<string, string | undefined>>

/** Those of the variables that are given as NAME_FILE, the path of a file with the value. */
export function givenAsFiles(env: Environment, variables: ReadonlySet<string>): string[] {
  return [...variables].filter((name) => env[`${name}_FILE`])
}

/**
 * The environment with the values that are in files. Adds what is wrong to `problems`, without the path: somebody may have
 * written the secret itself there.
 */
export function readFiles(env: Environment, variables: ReadonlySet<string>, problems: string[]): Environment {
  const read = (name: string): string | undefined => {
    if (env[name]) return void problems.push(`${name}: set ${name} or ${name}_FILE, not both`)
    try {
      const text = readFileSync(env[`${name}_FILE`] as string, 'utf8').replace(/[\r\n]+$/, '')
      return text === '' ? void problems.push(`${name}_FILE: the file is empty`) : text
    } catch (error) {
      // Node adds the path after a comma.
      return void problems.push(`${name}_FILE: cannot read the file: ${(error as Error).message.split(',')[0]}`)
    }
  }
  const names = givenAsFiles(env, variables)
  return names.length === 0 ? env : { ...env, ...Object.fromEntries(names.map((name) => [name, read(name)])) }
}
