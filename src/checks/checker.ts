import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../lib/loop.ts'
import type { Look } from '../probes/look.ts'
import type { Sample } from '../probes/probe.ts'
import type { Database } from '../storage/database.ts'
import { first, q, statement } from '../storage/query.ts'
import { type Claim, claimDue } from './claim.ts'
import { overdue } from './cron.ts'
import { land } from './land.ts'

/** What the checker tells of itself. */
export interface CheckerCounts {
  landed(lateMs: number): void
  overtaken(): void
  inconclusive(reason: string): void
}

export interface CheckerParts {
  readonly database: Database
  readonly look: Look
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  readonly counts: CheckerCounts
  /** How many checks may be under way at once; slow targets hold their places for a minute and more. */
  readonly capacity: number
}

export interface Checker {
  /** Something may have become due. */
  nudge(): void
  readonly underWay: number
  stop(): Promise<void>
}

const BATCH = 250
const REST_MS = 250
/** A result that cannot be written is tried again for so long; then its claim is left to end by itself. */
const LANDING_PATIENCE_MS = 60_000

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('monitor_states').select('num').where('next_check_at', '<=', now).limit(1),
)

/** Claims what is due, has it looked at, and writes what was found. The database is the schedule; this holds nothing. */
export function startChecker(parts: CheckerParts): Checker {
  const { database, clock, log, node, counts, capacity } = parts
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function tick(): Promise<Rest> {
    const room = Math.min(BATCH, capacity - underWay.size)
    const now = clock.now()
    if (room <= 0 || (await database.read(first(anyDue, { now }))) === undefined) return { restMs: REST_MS }
    const claims = await database.write(() => claimDue(node, now, room))
    for (const claim of claims) begin(claim, now)
    return claims.length === room ? 'again' : { restMs: REST_MS }
  }

  function begin(claim: Claim, now: number): void {
    const check = perform(claim, now).finally(() => underWay.delete(check))
    underWay.add(check)
  }

  async function perform(claim: Claim, claimedAt: number): Promise<void> {
    const { settings, target } = claim
    const sample =
      settings.type === 'CRON' ? overdue(claim, claimedAt) : await parts.look(settings.type, target, stopping.signal)
    await write(claim, sample)
  }

  async function write(claim: Claim, sample: Sample): Promise<void> {
    const at = clock.now()
    const giveUpAt = at + LANDING_PATIENCE_MS
    for (let pauseMs = 100; ; pauseMs = Math.min(5_000, pauseMs * 2)) {
      try {
        const landed = await database.write(() => land({ claim, sample, at }), 'patient')
        if (!landed) counts.overtaken()
        else if (sample.outcome === 'inconclusive') counts.inconclusive(sample.reason)
        else counts.landed(at)
        return
      } catch (error) {
        if (clock.now() >= giveUpAt || stopping.signal.aborted) {
          counts.inconclusive('The result could not be written')
          log.error(
            { err: error, monitor: claim.monitorId },
            'a result could not be written; the check will be repeated',
          )
          return
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  const loop: Loop = startLoop('checker', log, tick)
  return {
    nudge: () => loop.nudge(),
    get underWay() {
      return underWay.size
    },
    async stop() {
      await loop.stop()
      stopping.abort()
      await Promise.all(underWay)
    },
  }
}
