import { SECOND_MS } from '../../lib/clock.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { Breakers } from './breakers.ts'
import { type Claim, claimDue, isAnyDue, LEASE_MS, renewClaims } from './claim.ts'
import { Courier, type CourierParts } from './courier.ts'
import type { OnDisabled } from './record.ts'
import { startRecorder } from './recorder.ts'
import { endpointClaims } from './release.ts'
import { Slots } from './slots.ts'

export interface SenderParts extends Omit<CourierParts, 'recorder' | 'slots' | 'breakers' | 'cut'> {
  readonly onDisabled: OnDisabled
  /** How many requests may be under way at once; each holds a socket. */
  readonly capacity: number
}

export interface Sender {
  /** Something may have become due. */
  nudge(): void
  readonly underWay: number
  stop(): Promise<void>
}

/** Endpoints that are sent to at the same time. One that does not answer is given back between two tries. */
const MOST_HELD = 1_000
const BATCH = 100
const REST_MS = 250
const RENEW_EVERY_MS = LEASE_MS / 3
const RELEASE_EVERY_MS = 5 * SECOND_MS
/** What is under way when a stop is asked for gets this long to end by itself. */
const LAST_WORDS_MS = 5 * SECOND_MS

/** Claims endpoints that are due and has a courier look after each. The database is the schedule; this holds nothing. */
export function startSender(parts: SenderParts): Sender {
  const { database, clock, log, node, onDisabled, capacity } = parts
  const cut = new AbortController()
  const recorder = startRecorder({ database, log, onDisabled })
  const slots = new Slots(capacity)
  const tools: CourierParts = { ...parts, recorder, slots, breakers: new Breakers(), cut: cut.signal }
  const couriers = new Map<Courier, Promise<void>>()

  async function tick(): Promise<Rest> {
    const room = Math.min(BATCH, MOST_HELD - couriers.size)
    const now = clock.now()
    if (room <= 0 || !(await database.read(isAnyDue(now)))) return { restMs: REST_MS }
    const claims = await database.write(() => claimDue(node, now, room))
    // One whose lease ran out was claimed again here: whoever looks after it does so still.
    const served = new Set(held().map(({ claim }) => claim.endpointId))
    for (const claim of claims) if (!served.has(claim.endpointId)) begin(claim)
    return claims.length === room ? 'again' : { restMs: REST_MS }
  }

  function begin(claim: Claim): void {
    const courier = new Courier(claim, tools)
    couriers.set(
      courier,
      courier.serve().finally(() => couriers.delete(courier)),
    )
  }

  function held(): Courier[] {
    return [...couriers.keys()].filter(({ isOver }) => !isOver)
  }

  const claiming = startLoop('sender', log, tick)
  const renewing = startLoop('renewing claims on endpoints', log, async () => {
    const working = held()
    const claims = working.map(({ claim }) => claim)
    const renewed = await database.write(() => renewClaims(node, clock.now(), claims))
    for (const courier of working) if (!renewed.get(courier.claim)) courier.end()
    return { restMs: RENEW_EVERY_MS }
  })
  const releasing = startLoop('releasing claims on endpoints', log, async () => {
    if ((await endpointClaims.releaseOfDead(database, node, clock.now())) > 0) claiming.nudge()
    return { restMs: RELEASE_EVERY_MS }
  })

  async function stop(): Promise<void> {
    await Promise.all([claiming, renewing, releasing].map((loop: Loop) => loop.stop()))
    for (const courier of couriers.keys()) courier.end()
    const late = setTimeout(() => cut.abort(), LAST_WORDS_MS)
    await Promise.all(couriers.values())
    clearTimeout(late)
    await recorder.stop()
    await endpointClaims.releaseOf(database, node, clock.now()).catch(tolerate(log, 'giving endpoints back'))
  }

  return {
    nudge: () => claiming.nudge(),
    get underWay() {
      return slots.taken
    },
    stop,
  }
}
