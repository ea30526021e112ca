import type { Sample } from '../../contract/probe.ts'
import { type Clock, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { alertContacts } from '../../notifications/contacts/queries.ts'
import type { Database, Lock } from '../../storage/database.ts'
import { makeDue } from '../monitor-states/make-due.ts'
import type { Claim } from './claim.ts'

/** A shorter loss of the network is not reported. */
const ALERT_AFTER_MS = 30 * SECOND_MS
/** Keeps transactions short. */
const MAX_PER_STEP = 500

interface Outage {
  readonly since: number
  isAlerted: boolean
  /** Held for as long as the outage of the node that has sent the message. */
  lock?: Lock
}

/** The monitors whose last check found that this node is cut off from their network. */
export class CutOffMonitors {
  readonly #database: Database
  readonly #clock: Clock
  readonly #log: Log
  /** By number. */
  readonly #monitors = new Map<number, { readonly orgId: string; readonly num: number }>()
  /** By organization. */
  readonly #outages = new Map<string, Outage>()

  constructor(database: Database, clock: Clock, log: Log) {
    this.#database = database
    this.#clock = clock
    this.#log = log
  }

  settle({ num, orgId, startedAt }: Claim, sample: Sample): void {
    if (sample.outcome !== 'inconclusive' || sample.isCutOff !== true) {
      this.#monitors.delete(num)
      return
    }
    this.#monitors.set(num, { num, orgId })
    const outage: Outage = this.#outages.get(orgId) ?? { since: startedAt, isAlerted: false }
    this.#outages.set(orgId, outage)
    if (outage.isAlerted || this.#clock.now() - outage.since < ALERT_AFTER_MS) return
    outage.isAlerted = true
    void this.#alert(orgId, outage).catch((error: unknown) => {
      outage.isAlerted = false
      tolerate(this.#log, 'alerting of a loss of the network')(error)
    })
  }

  /** One message of all nodes for all monitors of an organization. It waits in its row until a channel can be reached. */
  async #alert(orgId: string, outage: Outage): Promise<void> {
    const lock = await this.#database.tryLock(`network down ${orgId}`)
    if (lock === undefined) return
    try {
      await this.#writeAlert(orgId, outage.since)
    } catch (error) {
      await lock.release()
      throw error
    }
    if (this.#outages.get(orgId) === outage) outage.lock = lock
    else await lock.release()
  }

  async #writeAlert(orgId: string, since: number): Promise<void> {
    const targets = [...this.#monitors.values()].filter((monitor) => monitor.orgId === orgId).length
    const time = `${new Date(since).toISOString().slice(11, 16)} UTC`
    const reach = targets === 1 ? 'its target' : `any of ${targets} targets`
    await this.#database.write(() =>
      alertContacts({
        orgId,
        kind: 'network_down',
        monitorNum: null,
        monitorId: null,
        incidentId: null,
        subject: 'Pharos',
        target: null,
        reason: `Pharos cannot reach ${reach} since ${time}. Its own network is probably down.`,
        at: this.#clock.now(),
      }),
    )
  }

  /** Makes them due now, for this node or another one, except those that are being checked: their results would be stale. */
  async makeDue(underWay: ReadonlySet<number>): Promise<void> {
    const waiting = [...this.#monitors.values()].filter(({ num }) => !underWay.has(num))
    for (const { num } of waiting) this.#monitors.delete(num)
    for (const { lock } of this.#outages.values()) void lock?.release()
    this.#outages.clear()
    for (const [orgId, monitors] of Map.groupBy(waiting, (monitor) => monitor.orgId)) {
      for (let i = 0; i < monitors.length; i += MAX_PER_STEP) {
        const nums = monitors.slice(i, i + MAX_PER_STEP).map(({ num }) => num)
        const due = this.#database.write(() => makeDue(orgId, nums, this.#clock.now()))
        await due.catch(tolerate(this.#log, 'making monitors due after a loss of the network'))
      }
    }
  }
}
