import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { type ClaimProcessing, processClaim } from '../../storage/queue/process.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Chunk, type Claim, claimNotices, type Medium, noticeQueue, takeChunk } from './claim.ts'
import {
  type ConfirmationClaim,
  claimConfirmations,
  confirmationQueue,
  dropConfirmation,
  settleConfirmation,
} from './confirmation-email.ts'
import { type ChunkCounts, dropNotice, recordChunk } from './record.ts'
import type {
  MessageComposer,
  NoticeTopic,
  Recipient,
  SendResult,
  SendToSubscriber,
  SubscriberMessage,
} from './types.ts'

export interface MailerCounters {
  noticeChunkSent(medium: Medium, counts: ChunkCounts): void
  confirmationSent(medium: Medium, outcome: 'sent' | 'failed'): void
}

export interface MailerOptions {
  readonly database: Database
  /** E-mails and requests to endpoints are sent by two mailers, so that neither delays the other. */
  readonly medium: Medium
  readonly send: SendToSubscriber
  readonly composer: MessageComposer
  readonly clock: Clock
  readonly random: { random(): number }
  readonly log: Log
  readonly node: string
  readonly counters: MailerCounters
}

export interface Mailer {
  /** Looks for due messages now instead of at the next tick. */
  nudge(): void
  /** Messages in flight are aborted after the grace period. */
  stop(graceMs?: number): Promise<void>
}

/** Progress is saved after each chunk, so a crash repeats at most this many messages. */
export const CHUNK_SIZE = 20
/** Messages of one chunk in flight at once. */
const CHUNK_CONCURRENCY = 5
/** More than one, so that a page with very many subscribers does not delay others. */
const MAX_NOTICES = 4
const MAX_CONFIRMATIONS = 10

const REST_MS = 500
/** For all messages of a chunk. Much shorter than the lease of a claim. */
const CHUNK_TIMEOUT_MS = 90_000
/** How long `stop` waits for messages in flight before it aborts them. */
const STOP_TIMEOUT_MS = 5_000

/** Sends notices and confirmations. All state is in the rows. */
export function startMailer(options: MailerOptions): Mailer {
  const { database, clock, log, node, counters, composer, medium } = options
  const stopping = new AbortController()
  const notices = new Set<Promise<void>>()
  const confirmations = new Set<Promise<void>>()

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const freeNotices = MAX_NOTICES - notices.size
    if (freeNotices > 0 && (await database.read(noticeQueue.isAnyDue(now)))) {
      const claims = await database.write(() => claimNotices(medium, { node, now, limit: freeNotices }))
      for (const claim of claims) {
        const release = (dueAt: number) => noticeQueue.release(claim.lease, dueAt)
        track(notices, { work: () => sendChunk(claim), release, about: { notice: claim.id } })
      }
    }
    const freeConfirmations = MAX_CONFIRMATIONS - confirmations.size
    if (freeConfirmations > 0 && (await database.read(confirmationQueue.isAnyDue(now)))) {
      const claims = await database.write(() => claimConfirmations(medium, { node, now, limit: freeConfirmations }))
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
    const { orgId, id, pageId, createdAt } = claim
    const topic: NoticeTopic = JSON.parse(claim.topicJson)
    const messageFor = await database.read(composer.notice({ orgId, id, pageId, topic, createdAt }))
    if (messageFor === undefined) return void (await persist(() => dropNotice(claim)))
    const results = await sendAll(chunk, messageFor)
    const isStopping = stopping.signal.aborted
    const counts = await persist(() =>
      recordChunk(claim, chunk, { results, isStopping }, clock.now(), options.random.random),
    )
    if (counts !== undefined) counters.noticeChunkSent(medium, counts)
  }

  /** Skips the rest of the chunk once the mail server is unreachable. */
  async function sendAll(
    chunk: Chunk,
    messageFor: (to: Recipient) => SubscriberMessage,
  ): Promise<Map<number, SendResult>> {
    const results = new Map<number, SendResult>()
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_TIMEOUT_MS)])
    const queue = chunk.recipients.values()
    let isDown = false
    const worker = async (): Promise<void> => {
      for (const recipient of queue) {
        if (isDown || signal.aborted) return
        const result = await options.send(messageFor(recipient), recipient, signal)
        results.set(recipient.num, result)
        isDown ||= !result.ok && result.fault === 'unreachable'
      }
    }
    await Promise.all(Array.from({ length: CHUNK_CONCURRENCY }, worker))
    return results
  }

  async function sendConfirmation(claim: ConfirmationClaim): Promise<void> {
    const message = await database.read(composer.confirmation(claim))
    if (message === undefined) return void (await persist(() => dropConfirmation(claim)))
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(CHUNK_TIMEOUT_MS)])
    const sent = await options.send(message, claim, signal)
    const result = !sent.ok && stopping.signal.aborted ? undefined : sent
    await persist(() => settleConfirmation(claim, result, clock.now()))
    if (result !== undefined) counters.confirmationSent(medium, result.ok ? 'sent' : 'failed')
  }

  function persist<T>(work: () => DbWork<T>): Promise<T | undefined> {
    const failureMessage = 'the results of messages to subscribers could not be written; they will be sent again'
    return writeWithRetry(work, { database, clock, log, stopping: stopping.signal, failureMessage })
  }

  const loop: Loop = startLoop(`subscriber mailer ${medium}`, log, tick)
  return {
    nudge: () => loop.nudge(),
    async stop(graceMs = STOP_TIMEOUT_MS) {
      if (graceMs === 0) stopping.abort()
      await loop.stop()
      const timeout = setTimeout(() => stopping.abort(), graceMs)
      await Promise.all([...notices, ...confirmations])
      clearTimeout(timeout)
      stopping.abort()
    },
  }
}
