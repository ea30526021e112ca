import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Email, EmailResult, SendEmail } from '../../outbound/email.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Chunk, type Claim, claimNotices, takeChunk } from './claim.ts'
import {
  type ConfirmationClaim,
  claimConfirmations,
  dropConfirmation,
  settleConfirmation,
} from './confirmation-email.ts'
import { type ChunkCounts, dropNotice, recordChunk } from './record.ts'
import type { EmailComposer, Recipient } from './types.ts'

/** What the mailer tells of itself. */
export interface MailerCounters {
  noticeChunkSent(tally: ChunkCounts): void
  confirmationSent(outcome: 'sent' | 'failed'): void
}

export interface MailerOptions {
  readonly database: Database
  readonly mail: SendEmail
  readonly composer: EmailComposer
  readonly clock: Clock
  readonly random: { random(): number }
  readonly log: Log
  readonly node: string
  readonly counters: MailerCounters
}

export interface Mailer {
  /** Something may have become due. */
  nudge(): void
  stop(): Promise<void>
}

/** How many letters are sent between two times that it is noted how far a notice got: so many may come twice after a crash. */
export const CHUNK_SIZE = 20
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
export function startMailer(parts: MailerOptions): Mailer {
  const { database, clock, log, node, counters, composer } = parts
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
      for (const claim of await database.write(() => claimConfirmations(node, now, places))) start(asking, ask(claim))
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
    const chunk = await database.read(takeChunk(claim, clock.now(), CHUNK_SIZE))
    if (chunk === undefined) return
    const letter = await database.read(composer.notice(claim))
    if (letter === undefined) return void (await persist(() => dropNotice(claim)))
    const mailed = await sendAll(chunk, letter)
    const isStopping = stopping.signal.aborted
    const tally = await persist(() =>
      recordChunk(claim, chunk, { mailed, isStopping }, clock.now(), parts.random.random),
    )
    if (tally !== undefined) counters.noticeChunkSent(tally)
  }

  /** Once the mail server takes nothing the others of the chunk are not tried. */
  async function sendAll(chunk: Chunk, letter: (to: Recipient) => Email): Promise<Map<number, EmailResult>> {
    const mailed = new Map<number, EmailResult>()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_MS)])
    const queue = chunk.recipients.values()
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

  async function ask(claim: ConfirmationClaim): Promise<void> {
    const letter = await database.read(composer.confirmation(claim))
    if (letter === undefined) return void (await persist(() => dropConfirmation(claim)))
    const mailed = await parts.mail(letter, AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_MS)]))
    const result = !mailed.ok && stopping.signal.aborted ? undefined : mailed
    await persist(() => settleConfirmation(claim, result, clock.now()))
    if (result !== undefined) counters.confirmationSent(result.ok ? 'sent' : 'failed')
  }

  function persist<T>(work: () => DbWork<T>): Promise<T | undefined> {
    const sentence = 'what came of letters to subscribers could not be written; they will be sent again'
    return writeWithRetry(work, { database, clock, log, stopping: stopping.signal, sentence })
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
