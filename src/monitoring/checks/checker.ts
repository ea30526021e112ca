import type { RunProbe } from '../../contract/probe.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Database } from '../../storage/database.ts'
import { first, q, statement } from '../../storage/query.ts'
import { type Claim, claimAlone, claimDue } from './claim.ts'
import { overdue } from './overdue-heartbeat.ts'
import type { Finding } from './save-results.ts'
import { Lander, type Landing } from './result-writer.ts'
import { Setups } from './check-config.ts'
import { Stands } from './state-cache.ts'

/** What the checker tells of itself. */
export interface CheckerCounts {
  landed(lateMs: number): void
  overtaken(): void
  inconclusive(reason: string): void
}

export interface CheckerParts {
  readonly database: Database
  /** The public address of the installation. */
  readonly baseUrl: () => string
  readonly runProbe: RunProbe
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  /** No other node shares the schedule. */
  readonly alone: boolean
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

const BATCH = 500
const REST_MS = 250

const anyDue = statement(({ now }: { now: number }) =>
  q.selectFrom('monitor_states').select('num').where('next_check_at', '<=', now).limit(1),
)

/** Claims what is due, has it looked at, and writes what was found. The database is the schedule; what this keeps saves reading. */
export function startChecker(parts: CheckerParts): Checker {
  const { database, baseUrl, runProbe, clock, log, node, alone, counts, capacity } = parts
  const stopping = new AbortController()
  const underWay = new Set<number>()
  const setups = new Setups()
  const stands = new Stands()
  let idle: (() => void) | undefined

  async function tick(): Promise<Rest> {
    const room = Math.min(BATCH, capacity - underWay.size)
    const now = clock.now()
    if (room <= 0 || (await database.read(first(anyDue, { now }))) === undefined) return { restMs: REST_MS }
    const claims = alone
      ? await database.read(claimAlone({ underWay, stands, setups }, now, room))
      : await database.write(() => claimDue(node, now, room, setups))
    // All of them before the first begins: one that ends at once is not to take itself for the last.
    for (const { num } of claims) underWay.add(num)
    for (const claim of claims) begin(claim, now)
    return claims.length === room ? 'again' : { restMs: REST_MS }
  }

  const lander = new Lander({
    ...{ database, baseUrl, clock, log },
    tell: (finding, landing) => settle(finding, landing),
    underWay: () => underWay.size,
    stopping: stopping.signal,
  })

  function begin(claim: Claim, now: number): void {
    const { settings, target } = claim
    if (settings.type === 'CRON') lander.add({ claim, sample: overdue(claim, now), at: now })
    else {
      void runProbe(settings.type, target, stopping.signal).then((sample) =>
        lander.add({ claim, sample, at: clock.now() }),
      )
    }
  }

  function settle({ claim, sample, at }: Finding, landing: Landing): void {
    underWay.delete(claim.num)
    if (alone && typeof landing === 'object') stands.keep(landing)
    if (landing === 'overtaken') counts.overtaken()
    else if (landing === 'lost') counts.inconclusive('The result could not be written')
    else if (sample.outcome === 'inconclusive') counts.inconclusive(sample.reason)
    else counts.landed(at)
    if (underWay.size === 0) idle?.()
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
      await new Promise<void>((resolve) => {
        idle = resolve
        if (underWay.size === 0) resolve()
      })
    },
  }
}
