import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Email, EmailResult, SendEmail } from '../../outbound/email.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { type ClaimProcessing, processClaim } from '../../storage/queue/process.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Chunk, type Claim, claimNotices, noticeQueue, takeChunk } from './claim.ts'
import {
  type ConfirmationClaim,
  claimConfirmations,
  confirmationQueue,
  dropConfirmation,
  settleConfirmation,
} from './confirmation-email.ts'
import { type ChunkCounts, dropNotice, recordChunk } from './record.ts'
import type { EmailComposer, NoticeTopic, Recipient } from './types.ts'

export interface MailerCounters {
  noticeChunkSent(counts: ChunkCounts): void
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
  /** Looks for due e-mails now instead of at the next tick. */
  nudge(): void
  stop(): Promise<void>
}

/** Progress is saved after each chunk, so a crash repeats at most this many e-mails. */
export const CHUNK_SIZE = 20
/** E-mails of one chunk in flight at once. */
const CHUNK_CONCURRENCY = 5
/** More than one, so that a page with very many subscribers does not delay others. */
const MAX_NOTICES = 4
const MAX_CONFIRMATIONS = 10

const REST_MS = 500
/** For all e-mails of a chunk. Much shorter than the lease of a claim. */
const CHUNK_TIMEOUT_MS = 90_000
/** How long `stop` waits for e-mails in flight before it aborts them. */
const STOP_TIMEOUT_MS = 5_000

/** Sends notices and confirmation e-mails. All state is in the rows. */
export function startMailer(options: MailerOptions): Mailer {
  const { database, clock, log, node, counters, composer } = options
  const stopping = new AbortController()
  const notices = new Set<Promise<void>>()
  const confirmations = new Set<Promise<void>>()

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const freeNotices = MAX_NOTICES - notices.size
    if (freeNotices > 0 && (await database.read(noticeQueue.isAnyDue(now)))) {
      const claims = await database.write(() => claimNotices({ node, now, limit: freeNotices }))
      for (const claim of claims) {
        const release = (dueAt: number) => noticeQueue.release(claim.lease, dueAt)
        track(notices, { work: () => sendChunk(claim), release, about: { notice: claim.id } })
      }
    }
    const freeConfirmations = MAX_CONFIRMATIONS - confirmations.size
    if (freeConfirmations > 0 && (await database.read(confirmationQueue.isAnyDue(now)))) {
      const claims = await database.write(() => claimConfirmations({ node, now, limit: freeConfirmations }))
      for (const claim of claims) {
        const release = (dueAt: number) => confirmationQueue.release(claim.lease, dueAt)
        track(confirmations, { work: () => sendConfirmation(claim), release, about: { subscriber: claim.id } })
      }
    }
    return { restMs: REST_MS }
  }

  function track(lane: Set<Promise<void>>, claim: ClaimProcessing): void {
    const sending = processClaim(claim, { database, clock, log, stopping: stopping.signal }).finally(() => {
      lane.delete(sending)
      loop.nudge()
    })
    lane.add(sending)
  }

  async function sendChunk(claim: Claim): Promise<void> {
    const chunk = await database.read(takeChunk(claim, clock.now(), CHUNK_SIZE))
    if (chunk === undefined) return
    const { orgId, id, pageId } = claim
    const topic: NoticeTopic = JSON.parse(claim.topicJson)
    const emailFor = await database.read(composer.notice({ orgId, id, pageId, topic }))
    if (emailFor === undefined) return void (await persist(() => dropNotice(claim)))
    const results = await sendAll(chunk, emailFor)
    const isStopping = stopping.signal.aborted
    const counts = await persist(() =>
      recordChunk(claim, chunk, { results, isStopping }, clock.now(), options.random.random),
    )
    if (counts !== undefined) counters.noticeChunkSent(counts)
  }

  /** Skips the rest of the chunk once the mail server is unreachable. */
  async function sendAll(chunk: Chunk, emailFor: (to: Recipient) => Email): Promise<Map<number, EmailResult>> {
    const results = new Map<number, EmailResult>()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_TIMEOUT_MS)])
    const queue = chunk.recipients.values()
    let isDown = false
    const worker = async (): Promise<void> => {
      for (const recipient of queue) {
        if (isDown || signal.aborted) return
        const result = await options.mail(emailFor(recipient), signal)
        results.set(recipient.num, result)
        isDown ||= !result.ok && result.fault === 'unreachable'
      }
    }
    await Promise.all(Array.from({ length: CHUNK_CONCURRENCY }, worker))
    return results
  }

  async function sendConfirmation(claim: ConfirmationClaim): Promise<void> {
    const email = await database.read(composer.confirmation(claim))
    if (email === undefined) return void (await persist(() => dropConfirmation(claim)))
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_TIMEOUT_MS)])
    const sent = await options.mail(email, signal)
    const result = !sent.ok && stopping.signal.aborted ? undefined : sent
    await persist(() => settleConfirmation(claim, result, clock.now()))
    if (result !== undefined) counters.confirmationSent(result.ok ? 'sent' : 'failed')
  }

  function persist<T>(work: () => DbWork<T>): Promise<T | undefined> {
    const failureMessage = 'the results of e-mails to subscribers could not be written; they will be sent again'
    return writeWithRetry(work, { database, clock, log, stopping: stopping.signal, failureMessage })
  }

  const loop: Loop = startLoop('subscriber mailer', log, tick)
  return {
    nudge: () => loop.nudge(),
    async stop() {
      await loop.stop()
      const timeout = setTimeout(() => stopping.abort(), STOP_TIMEOUT_MS)
      await Promise.all([...notices, ...confirmations])
      clearTimeout(timeout)
      stopping.abort()
    },
  }
}
