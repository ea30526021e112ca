import type { Sample } from '../../contract/probe.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Database } from '../../storage/database.ts'
import { makeDue } from '../monitor-states/make-due.ts'
import type { Claim } from './claim.ts'

/** Keeps transactions short. */
const MAX_PER_STEP = 500

/** The monitors whose last check found that this node is cut off from their network. */
export class CutOffMonitors {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  /** By number. */
  readonly #monitors = new Map<number, { readonly orgId: string; readonly num: number }>()

  constructor(database: Database, clock: Clock, log: Log) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  settle({ num, orgId }: Claim, sample: Sample): void {
    if (sample.outcome === 'inconclusive' && sample.isCutOff === true) this.#monitors.set(num, { num, orgId })
    else this.#monitors.delete(num)
  }

  /** Makes them due now, except those that are being checked: their results would be stale. */
  async makeDue(underWay: ReadonlySet<number>): Promise<void> {
    const waiting = [...this.#monitors.values()].filter(({ num }) => !underWay.has(num))
    for (const { num } of waiting) this.#monitors.delete(num)
    for (const [orgId, monitors] of Map.groupBy(waiting, (monitor) => monitor.orgId)) {
      for (let i = 0; i < monitors.length; i += MAX_PER_STEP) {
        const nums = monitors.slice(i, i + MAX_PER_STEP).map(({ num }) => num)
        const due = this.#database.write(() => makeDue(orgId, nums, this.#clock.now()))
        await due.catch(tolerate(this.#log, 'making monitors due after a loss of the network'))
      }
    }
  }
}
