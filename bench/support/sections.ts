/** One section of a benchmark; returns whether it met its goal. */
export type Section = () => Promise<boolean>

/**
 * Runs the sections in BENCH_ONLY (comma-separated; default all), one after the other. If one fails or misses its goal, the others
 * still run and the exit code is 1.
 */
export async function runSections(sections: Readonly<Record<string, Section>>): Promise<void> {
  const names = process.env.BENCH_ONLY?.split(',').filter((name) => name !== '') ?? Object.keys(sections)
  const unknown = names.filter((name) => !(name in sections))
  if (unknown.length > 0) {
    throw new Error(`BENCH_ONLY: there is no ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}`)
  }
  const missed: string[] = []
  for (const name of names) {
    try {
      if (!(await (sections[name] as Section)())) missed.push(name)
    } catch (error) {
      process.stderr.write(`${name}: ${(error as Error).stack}\n`)
      missed.push(name)
    }
  }
  process.stdout.write(missed.length === 0 ? '\nAll goals met.\n' : `\nMissed: ${missed.join(', ')}\n`)
  process.exitCode = missed.length === 0 ? 0 : 1
}

/** A number from the environment. */
export function setting(name: string, usual: number): number {
  const value = Number(process.env[name] ?? usual)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`${name}: "${process.env[name]}" is not a whole number above 0`)
}
