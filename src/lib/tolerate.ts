import type { Log } from './log.ts'

/** Logs a failure that does no harm: `.catch(tolerate(log, 'pruning old results'))`. */
export function tolerate(log: Log, doing: string): (error: unknown) => undefined {
  return (error) => {
    log.warn({ err: error }, `${doing} failed; retrying later`)
    return undefined
  }
}
