import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Database } from '../../storage/database.ts'
import { insist } from '../../storage/insist.ts'
import { first, q, statement, type Work } from '../../storage/query.ts'
import type { Sent, Ways } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Batch, type Claim, claimDue, gather } from './claim.ts'
import { openSettings } from './create.ts'
import { compose, homeOf, type Message } from './message.ts'
import { type Chance, type Pace, release, settleFailure, settleSuccess } from './settle.ts'

/** What the sender tells of itself. */
export interface SenderCounts {
  sent(channel: string): void
  failed(channel: string): void
  gaveUp(channel: string, alerts: number): void
}

export interface SenderParts {
  readonly database: Database
  readonly ways: Ways
  readonly sealer: Sealer
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly node: string
  readonly counts: SenderCounts
  readonly pace: Pace
  /** Where links lead to. */
  readonly baseUrl: () => string
  /** How many messages may be under way at once. */
  readonly capacity: number
}

export interface Sender {
  /** Something may have become due. */
  nudge(): void
  stop(): Promise<void>
}

const REST_MS = 250
/** For a message and everything that belongs to it. */
const MESSAGE_MS = 60_000
/** What is under way when a stop is asked for gets this long; then it is broken off, and sent again after the start. */
const STOP_PATIENCE_MS = 5_000

/** Two messages of one storm are a spacing apart; the second may take some attempts. */
const STORM_SPACINGS = 2

const anyDue = statement(({ before }: { before: number }) =>
  q.selectFrom('contacts').select('id').where('due_at', '<=', before).limit(1),
)

/** Claims the contacts that are due, sends each one message, and notes what came of it. The rows are all it knows. */
export function startSender(parts: SenderParts): Sender {
  const { database, clock, chance, log, node, counts, pace, capacity } = parts
  const stopping = new AbortController()
  const underWay = { sound: new Set<Promise<void>>(), failing: new Set<Promise<void>>() }

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const before = now - pace.groupWaitMs
    if ((await database.read(first(anyDue, { before }))) === undefined) return { restMs: REST_MS }
    // Those that fail are slow, so they have half the room at most: however many they are, others find a place.
    const room = Math.min(capacity - underWay.sound.size - underWay.failing.size, capacity / 2)
    const sound = await claim(false, room)
    const failing = await claim(true, Math.min(capacity / 2 - underWay.failing.size, room - sound))
    return sound + failing > 0 ? 'again' : { restMs: REST_MS }
  }

  async function claim(failing: boolean, room: number): Promise<number> {
    const limit = Math.floor(room)
    if (limit <= 0) return 0
    const now = clock.now()
    const wanted = { node, now, before: now - pace.groupWaitMs, limit, failing }
    const claims = await database.write(() => claimDue(wanted))
    const lane = failing ? underWay.failing : underWay.sound
    for (const taken of claims) {
      const errand = perform(taken)
        .catch((error: unknown) => log.error({ err: error, contact: taken.contactId }, 'an alert could not be sent'))
        .finally(() => lane.delete(errand))
      lane.add(errand)
    }
    return claims.length
  }

  async function perform(taken: Claim): Promise<void> {
    const notice = newId('ntc', taken.at)
    const batch = await database.write(() => gather(taken, notice, STORM_SPACINGS * pace.spacingMs))
    if (batch === undefined) return void (await database.write(() => release(taken)))
    const { alerts, still, over } = batch
    const home = homeOf(parts.baseUrl(), taken.orgId)
    const message = compose({ alerts, still, ...(over && { over }), home, at: clock.now() })
    // A service that keeps incidents hears of beginnings and ends; what is only part of one is not worth a request.
    const spoke = over === undefined || message.begun.length + message.over.length > 0
    const sent = spoke ? await send(batch, message) : ({ ok: true } as const)
    // Broken off by the stop: it may have arrived or not, and is sent again.
    if (!sent.ok && stopping.signal.aborted) return void (await database.write(() => release(taken)))
    await settle(batch, sent, spoke)
  }

  async function send({ contact }: Batch, message: Message): Promise<Sent> {
    try {
      const to = openSettings(contact, parts.sealer)
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(MESSAGE_MS)])
      return await channels[contact.channel as ChannelName].send({
        ...parts.ways,
        to,
        message,
        signal,
        now: clock.now(),
      })
    } catch (error) {
      log.error({ err: error, contact: contact.id }, 'a message to a contact could not be made')
      return { ok: false, error: 'The message could not be made; the log of this service says why', retryAfterMs: null }
    }
  }

  async function settle(batch: Batch, sent: Sent, spoke: boolean): Promise<void> {
    const { channel } = batch.contact
    const now = clock.now()
    if (sent.ok) {
      if (spoke) counts.sent(channel)
      await persist(() => settleSuccess(batch, spoke, now, pace))
      return
    }
    counts.failed(channel)
    const givenUp = await persist(() => settleFailure(batch, sent, now, pace, chance))
    if (givenUp !== undefined && givenUp > 0) counts.gaveUp(channel, givenUp)
  }

  function persist<T>(work: () => Work<T>): Promise<T | undefined> {
    const sentence = 'what came of an alert could not be written; it will be sent again'
    return insist(work, { database, clock, log, stopping: stopping.signal, sentence })
  }

  const loop: Loop = startLoop('alert sender', log, tick)
  return {
    nudge: () => loop.nudge(),
    async stop() {
      await loop.stop()
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS)
      await Promise.all([...underWay.sound, ...underWay.failing])
      clearTimeout(patience)
      stopping.abort()
    },
  }
}
