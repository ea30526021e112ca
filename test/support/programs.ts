/**
 * For `test(name, { skip: skipWithout(…) }, …)`: the reason that the report shows, or false. `.ci/run` installs every program
 * that tests use, so in CI a missing one is an error: a skipped test would look like one that passed.
 */
export function skipWithout(isFound: boolean, what: string): string | false {
  if (isFound) return false
  if (process.env.CI === 'true') throw new Error(`${what} was not found. CI skips no tests; install it`)
  return `${what} was not found`
}
