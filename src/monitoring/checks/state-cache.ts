import type { Histogram } from '../monitor-states/histogram.ts'
import type { Tally } from '../monitor-states/ledger.ts'
import type { Stand } from '../monitor-states/save.ts'

/** Where a monitor stands, as far as the next check asks for it. */
export type KeptStand = Pick<Stand, 'orgId' | 'revision' | 'standing' | 'memory' | 'openIncident'>

const MOST_KEPT = 20_000

/**
 * Where monitors stand by what this node has written, so that the next check need not read and parse it. Whatever anybody else
 * writes of a monitor makes another revision, and what is kept here is then not looked at any more.
 *
 * What is kept is written over with each check and not replaced. A new object for each would live until the next check, hence
 * become old, and what has become old is what collecting garbage costs most for. So whoever was given a stand has done with it
 * when its check has landed.
 */
export class Stands {
  readonly #known = new Map<number, Own<KeptStand>>()

  keep(stand: Stand): void {
    const known = this.#known.get(stand.num)
    if (known !== undefined) writeOver(known, stand)
    else {
      if (this.#known.size >= MOST_KEPT) this.#known.clear()
      this.#known.set(stand.num, copyOf(stand))
    }
  }

  /** Undefined where it was not this node that made the revision, or too long ago. */
  at(num: number, revision: number): KeptStand | undefined {
    const stand = this.#known.get(num)
    return stand !== undefined && stand.revision + 1 === revision ? stand : undefined
  }
}

/** The same, to be written over. */
type Own<T> = T extends object ? { -readonly [Name in keyof T]: Own<T[Name]> } : T

/** Nothing in it is shared with anybody but what is never written over. */
function copyOf({ orgId, revision, standing, memory, openIncident }: Stand): Own<KeptStand> {
  const { until, hour, tally } = memory.ledger
  const ledger = { until, hour, tally: { ...tally, responses: [...tally.responses] } }
  return {
    orgId,
    revision,
    standing: { ...standing },
    memory: { ...(memory as Own<typeof memory>), ledger },
    openIncident,
  }
}

function writeOver(kept: Own<KeptStand>, { revision, standing, memory, openIncident }: Stand): void {
  kept.revision = revision
  kept.openIncident = openIncident
  kept.standing.state = standing.state
  kept.standing.last_checked_at = standing.last_checked_at
  kept.standing.last_status_changed_at = standing.last_status_changed_at
  kept.standing.last_response_ms = standing.last_response_ms
  kept.standing.cert_expires_at = standing.cert_expires_at
  const { memory: own } = kept
  const its = memory as Own<typeof memory>
  own.samples = its.samples
  own.announced = its.announced
  own.beats = its.beats
  own.records = its.records
  own.ledger.until = memory.ledger.until
  own.ledger.hour = memory.ledger.hour
  writeTally(own.ledger.tally, memory.ledger.tally)
}

function writeTally(own: Own<Tally>, tally: Tally): void {
  own.upMs = tally.upMs
  own.degradedMs = tally.degradedMs
  own.downMs = tally.downMs
  own.pausedMs = tally.pausedMs
  own.maintenanceMs = tally.maintenanceMs
  own.checks = tally.checks
  own.failures = tally.failures
  writeCounts(own.responses, tally.responses)
}

function writeCounts(own: number[], histogram: Histogram): void {
  own.length = histogram.length
  for (let i = 0; i < histogram.length; i += 1) own[i] = histogram[i] as number
}
