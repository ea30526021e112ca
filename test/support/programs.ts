import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * For `test(name, { skip: skipWithout(…) }, …)`: the reason that the report shows, or false. `.ci/run` installs every program
 * that tests use, so in CI a missing one is an error: a skipped test would look like one that passed.
 */
export function skipWithout(isFound: boolean, what: string): string | false {
  if (isFound) return false
  if (process.env.CI === 'true') throw new Error(`${what} was not found. CI skips no tests; install it`)
  return `${what} was not found`
}

/** A Node that npm did not install, such as the one that runs npm itself. */
export function otherNode(): string {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const found = files.find((file) => existsSync(file) && !realpathSync(file).includes('node_modules'))
  if (found === undefined) throw new Error('No other Node than that of npm is on the path')
  return found
}
