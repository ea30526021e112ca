import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Letter, Mail, Mailed } from '../../outbound/mail.ts'
import type { Database } from '../../storage/database.ts'
import { insist } from '../../storage/insist.ts'
import { first, q, statement, type Work } from '../../storage/query.ts'
import { type AskClaim, claimAsked, forgetAsked, settleAsked } from './ask.ts'
import { type Chunk, type Claim, claimNotices, takeChunk } from './claim.ts'
import { dropNotice, record, type Tally } from './record.ts'
import type { Recipient, Writer } from './types.ts'

/** What the mailer tells of itself. */
export interface MailerCounts {
  told(tally: Tally): void
  asked(outcome: 'sent' | 'failed'): void
}

export interface MailerParts {
  readonly database: Database
  readonly mail: Mail
  readonly writer: Writer
  readonly clock: Clock
  readonly chance: { random(): number }
  readonly log: Log
  readonly node: string
  readonly counts: MailerCounts
}

export interface Mailer {
  /** Something may have become due. */
  nudge(): void
  stop(): Promise<void>
}

/** How many letters are sent between two times that it is noted how far a notice got: so many may come twice after a crash. */
export const CHUNK = 20
/** Letters of one chunk that are under way at once. */
const ABREAST = 5
/** Notices that are told at once, so that a page with very many subscribers does not keep others waiting. */
const NOTICES_AT_ONCE = 4
const ASKED_AT_ONCE = 10

const REST_MS = 500
/** For all letters of a chunk; much shorter than a claim. */
const CHUNK_MS = 90_000
/** What is under way when a stop is asked for gets this long. */
const STOP_PATIENCE_MS = 5_000

const noticesDue = statement(({ now }: { now: number }) =>
  q.selectFrom('subscriber_notices').select('id').where('due_at', '<=', now).limit(1),
)

const askedDue = statement(({ now }: { now: number }) =>
  q.selectFrom('subscribers').select('id').where('confirm_due_at', '<=', now).limit(1),
)

/** Tells subscribers what pages have to say, and asks new ones whether they want it. The rows are all it knows. */
export function startMailer(parts: MailerParts): Mailer {
  const { database, clock, log, node, counts, writer } = parts
  const stopping = new AbortController()
  const telling = new Set<Promise<void>>()
  const asking = new Set<Promise<void>>()

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const room = NOTICES_AT_ONCE - telling.size
    if (room > 0 && (await database.read(first(noticesDue, { now }))) !== undefined) {
      for (const claim of await database.write(() => claimNotices(node, now, room))) start(telling, tell(claim))
    }
    const places = ASKED_AT_ONCE - asking.size
    if (places > 0 && (await database.read(first(askedDue, { now }))) !== undefined) {
      for (const claim of await database.write(() => claimAsked(node, now, places))) start(asking, ask(claim))
    }
    return { restMs: REST_MS }
  }

  function start(lane: Set<Promise<void>>, errand: Promise<void>): void {
    const watched = errand
      .catch((error: unknown) => log.error({ err: error }, 'letters to subscribers could not be sent'))
      .finally(() => {
        lane.delete(watched)
        loop.nudge()
      })
    lane.add(watched)
  }

  async function tell(claim: Claim): Promise<void> {
    const chunk = await database.read(takeChunk(claim, clock.now(), CHUNK))
    if (chunk === undefined) return
    const letter = await database.read(writer.notice(claim))
    if (letter === undefined) return void (await persist(() => dropNotice(claim)))
    const mailed = await sendAll(chunk, letter)
    const isStopping = stopping.signal.aborted
    const tally = await persist(() => record(claim, chunk, { mailed, isStopping }, clock.now(), parts.chance.random))
    if (tally !== undefined) counts.told(tally)
  }

  /** Once the mail server takes nothing the others of the chunk are not tried. */
  async function sendAll(chunk: Chunk, letter: (to: Recipient) => Letter): Promise<Map<number, Mailed>> {
    const mailed = new Map<number, Mailed>()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_MS)])
    const queue = chunk.addressees.values()
    let isDown = false
    const line = async (): Promise<void> => {
      for (const addressee of queue) {
        if (isDown || signal.aborted) return
        const result = await parts.mail(letter(addressee), signal)
        mailed.set(addressee.num, result)
        isDown ||= !result.ok && result.fault === 'unreachable'
      }
    }
    await Promise.all(Array.from({ length: ABREAST }, line))
    return mailed
  }

  async function ask(claim: AskClaim): Promise<void> {
    const letter = await database.read(writer.confirmation(claim))
    if (letter === undefined) return void (await persist(() => forgetAsked(claim)))
    const mailed = await parts.mail(letter, AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_MS)]))
    const result = !mailed.ok && stopping.signal.aborted ? undefined : mailed
    await persist(() => settleAsked(claim, result, clock.now()))
    if (result !== undefined) counts.asked(result.ok ? 'sent' : 'failed')
  }

  function persist<T>(work: () => Work<T>): Promise<T | undefined> {
    const sentence = 'what came of letters to subscribers could not be written; they will be sent again'
    return insist(work, { database, clock, log, stopping: stopping.signal, sentence })
  }

  const loop: Loop = startLoop('subscriber mailer', log, tick)
  return {
    nudge: () => loop.nudge(),
    async stop() {
      await loop.stop()
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS)
      await Promise.all([...telling, ...asking])
      clearTimeout(patience)
      stopping.abort()
    },
  }
}
