import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Rest, startLoop } from '../../lib/loop.ts'
import { applyDueTransitions, isTransitionDue } from '../../monitoring/maintenance/apply-transitions.ts'
import { isRecheckQueued, recheckSome } from '../../monitoring/maintenance/recheck.ts'
import type { Database } from '../../storage/database.ts'
import type { Config } from '../config/config.ts'

interface Dependencies {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly nudgeChecker: () => void
  readonly nudgeSender: () => void
}

/** Windows per transaction. */
const BATCH = 50
const REST_MS = 250

/** Starts and ends maintenance windows on nodes with the role `scheduler`. */
export function startMaintenanceWorker(parts: Dependencies, undo: (() => unknown)[]): void {
  const { config, database, clock, log, nudgeChecker, nudgeSender } = parts
  if (!config.roles.includes('scheduler')) return

  async function tick(): Promise<Rest> {
    const now = clock.now()
    let isMore = false
    if (await database.read(isTransitionDue(now))) {
      isMore = (await database.write(() => applyDueTransitions(now, BATCH))) === BATCH
      nudgeSender()
    }
    if (await database.read(isRecheckQueued())) {
      const due = await database.write(() => recheckSome(clock.now()))
      isMore ||= due !== undefined
      nudgeChecker()
    }
    return isMore ? 'again' : { restMs: REST_MS }
  }

  const loop = startLoop('scheduler', log, tick)
  undo.push(() => loop.stop())
}
