import { describe, test } from 'node:test'
import { urlVariable } from './postgres.ts'

export type Engine = 'sqlite' | 'postgres'

const hasPostgres = Boolean(process.env[urlVariable])

if (!hasPostgres && process.env.CI === 'true') {
  throw new Error(`${urlVariable} is not set: CI runs tests through scripts/test.ts and skips no engine.`)
}

/** The storage engines that this run can test. */
const engines: readonly Engine[] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']

/** For `test(name, { skip: withoutPostgres }, …)`: the reason that the report shows, or false when there is none. */
export const withoutPostgres = hasPostgres ? false : 'PostgreSQL was not found'

/** One suite per engine, so that a failure names the engine. A missing engine is reported as skipped. */
export function forEachEngine(name: string, body: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${name} (${engine})`, () => body(engine))
  if (withoutPostgres) test(`${name} (postgres)`, { skip: withoutPostgres })
}
