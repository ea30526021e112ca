import type { Sample } from '../../contract/probe.ts'
import { type Clock, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { alertContacts } from '../../notifications/contacts/queries.ts'
import { reason } from '../../reasons/reason.ts'
import type { Database, Lock } from '../../storage/database.ts'
import { makeDue } from '../monitor-states/make-due.ts'
import type { Claim } from './claim.ts'

/** A shorter loss of the network is not reported. */
const ALERT_AFTER_MS = 30 * SECOND_MS
/** Keeps transactions short. */
const MAX_PER_STEP = 500

/** Monitors of an organization whose last check found that this node is cut off from their network. */
interface Outage {
  readonly since: number
  readonly nums: Set<number>
  isAlerted: boolean
  /** Held for as long as the outage of the node that has sent the message. */
  lock?: Lock
}

export class CutOffMonitors {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  /** By organization. */
  readonly #outages = new Map<string, Outage>()

  constructor(database: Database, clock: Clock, log: Log) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  settle({ num, orgId, startedAt }: Claim, sample: Sample): void {
    const known = this.#outages.get(orgId)
    if (sample.outcome !== 'inconclusive' || sample.isCutOff !== true) {
      if (known !== undefined) this.#remove(orgId, known, [num])
      return
    }
    const outage: Outage = known ?? { since: startedAt, nums: new Set(), isAlerted: false }
    outage.nums.add(num)
    this.#outages.set(orgId, outage)
    if (outage.isAlerted || this.#clock.now() - outage.since < ALERT_AFTER_MS) return
    outage.isAlerted = true
    void this.#alert(orgId, outage).catch((error: unknown) => {
      outage.isAlerted = false
      tolerate(this.#log, 'alerting of a loss of the network')(error)
    })
  }

  #remove(orgId: string, outage: Outage, nums: readonly number[]): void {
    for (const num of nums) outage.nums.delete(num)
    if (outage.nums.size > 0) return
    this.#outages.delete(orgId)
    void outage.lock?.release()
  }

  /** One message of all nodes for all monitors of an organization. It waits in its row until a channel can be reached. */
  async #alert(orgId: string, outage: Outage): Promise<void> {
    const lock = await this.#database.tryLock(`network down ${orgId}`)
    if (lock === undefined) return
    try {
      await this.#writeAlert(orgId, outage)
    } catch (error) {
      await lock.release()
      throw error
    }
    if (this.#outages.get(orgId) === outage) outage.lock = lock
    else await lock.release()
  }

  async #writeAlert(orgId: string, { since, nums }: Outage): Promise<void> {
    await this.#database.write(() =>
      alertContacts({
        orgId,
        kind: 'network_down',
        monitorNum: null,
        monitorId: null,
        incidentId: null,
        subject: 'Pharos',
        target: null,
        reason: reason('network_down', { count: nums.size, since: isoTimestamp(since) }),
        at: this.#clock.now(),
      }),
    )
  }

  /**
   * Makes them due now, except those that are being checked: their results would be stale. `keeper` says who checks them; what this
   * node does not check any more, such as a paused monitor, is no part of its outage.
   */
  async makeDue(keeper: 'this node' | 'other nodes', underWay: ReadonlySet<number>): Promise<void> {
    for (const [orgId, outage] of [...this.#outages]) {
      const waiting = [...outage.nums].filter((num) => !underWay.has(num))
      for (let i = 0; i < waiting.length; i += MAX_PER_STEP) {
        const nums = waiting.slice(i, i + MAX_PER_STEP)
        const due = await this.#database
          .write(() => makeDue(orgId, nums, this.#clock.now()))
          .catch(tolerate(this.#log, 'making monitors due after a loss of the network'))
        if (due === undefined) return
        const kept = new Set(keeper === 'this node' ? due : [])
        const gone = nums.filter((num) => !kept.has(num))
        this.#remove(orgId, outage, gone)
      }
    }
  }
}
