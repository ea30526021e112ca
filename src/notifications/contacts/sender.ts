import type { Transports } from '../../contract/services.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { processClaim } from '../../storage/queue/process.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Batch, collectBatch } from './batch.ts'
import type { ChannelResult } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Claim, claimDueContacts, contactQueue } from './claim.ts'
import { composeMessage, dashboardUrlOf, type Message } from './message.ts'
import { openSettings } from './settings.ts'
import { type Random, releaseClaim, type SendTiming, settleFailure, settleSuccess } from './settle.ts'

export interface AlertCounters {
  sent(channel: string): void
  failed(channel: string): void
  gaveUp(channel: string, alerts: number): void
}

export interface AlertSenderOptions {
  readonly database: Database
  readonly transports: Transports
  readonly sealer: Sealer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly node: string
  readonly counters: AlertCounters
  readonly timing: SendTiming
  /** The base of links in messages. */
  readonly baseUrl: () => string
  /** The most messages in flight at once. */
  readonly capacity: number
  /** How long `stop` waits for messages in flight before it aborts them. They are sent again after the next start. */
  readonly stopTimeoutMs?: number
}

export interface AlertSender {
  /** Looks for due contacts now instead of at the next tick. */
  nudge(): void
  /** Messages in flight are aborted after the grace period. */
  stop(graceMs?: number): Promise<void>
}

const REST_MS = 250
/** For a whole message, which can be several requests. */
const MESSAGE_TIMEOUT_MS = 60_000
/** Shorter, because a contact gets one message at a time and an outage may follow. */
const LESS_URGENT_TIMEOUT_MS = 15_000
const STOP_TIMEOUT_MS = 5_000

/** Messages of one storm are one spacing apart; the second spacing leaves time for retries. */
const STORM_SPACINGS = 2

/** Claims due contacts, sends one message to each and records the result. All state is in the rows. */
export function startAlertSender(options: AlertSenderOptions): AlertSender {
  const { database, clock, random, log, node, counters, timing, capacity } = options
  const stopping = new AbortController()
  const inFlight = { healthy: new Set<Promise<void>>(), failing: new Set<Promise<void>>() }

  async function tick(): Promise<Rest> {
    const dueBy = clock.now() - timing.groupWaitMs
    if (!(await database.read(contactQueue.isAnyDue(dueBy)))) return { restMs: REST_MS }
    // Failing contacts are slow, so they get at most half of the capacity.
    const free = Math.min(capacity - inFlight.healthy.size - inFlight.failing.size, capacity / 2)
    const healthy = await claimSome(false, free)
    const failing = await claimSome(true, Math.min(capacity / 2 - inFlight.failing.size, free - healthy))
    return healthy + failing > 0 ? 'again' : { restMs: REST_MS }
  }

  async function claimSome(failing: boolean, free: number): Promise<number> {
    const limit = Math.floor(free)
    if (limit <= 0) return 0
    const now = clock.now()
    const request = { node, now, dueBy: now - timing.groupWaitMs, limit, failing }
    const claims = await database.write(() => claimDueContacts(request))
    const lane = failing ? inFlight.failing : inFlight.healthy
    for (const claim of claims) {
      const sending = processClaim(
        {
          work: () => sendAlerts(claim),
          release: (dueAt) => contactQueue.release(claim.lease, dueAt),
          about: { contact: claim.contactId },
        },
        { database, clock, log, stopping: stopping.signal },
      ).finally(() => lane.delete(sending))
      lane.add(sending)
    }
    return claims.length
  }

  async function sendAlerts(claim: Claim): Promise<void> {
    const messageId = newId('ntc', claim.claimedAt)
    const batch = await database.write(() => collectBatch(claim, messageId, STORM_SPACINGS * timing.spacingMs))
    if (batch === undefined) return void (await database.write(() => releaseClaim(claim)))
    const { organization, alerts, ongoing, flapping, resolvedThreads } = batch
    const from = { organization, dashboardUrl: dashboardUrlOf(options.baseUrl(), claim.orgId) }
    const message = composeMessage({
      ...{ alerts, ongoing, flapping, from, at: clock.now() },
      ...(resolvedThreads && { resolvedThreads }),
    })
    // A channel that tracks incidents gets requests for opened and resolved threads only.
    const isWorthSending =
      resolvedThreads === undefined || message.openedThreads.length + message.resolvedThreads.length > 0
    const result = isWorthSending ? await send(batch, message) : ({ ok: true } as const)
    // Aborted by the stop: it may or may not have arrived, and is sent again.
    if (!result.ok && stopping.signal.aborted) return void (await database.write(() => releaseClaim(claim)))
    await settle(batch, result, isWorthSending)
  }

  async function send({ contact, alerts }: Batch, message: Message): Promise<ChannelResult> {
    const isUrgent = alerts.some(({ kind }) => kind === 'opened')
    const timeoutMs = isUrgent ? MESSAGE_TIMEOUT_MS : LESS_URGENT_TIMEOUT_MS
    try {
      return await channels[contact.channel as ChannelName].send({
        ...options.transports,
        to: openSettings(contact, options.sealer),
        message,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]),
        now: clock.now(),
      })
    } catch (error) {
      log.error({ err: error, contact: contact.id }, 'a message to a contact could not be made')
      return { ok: false, error: 'The message could not be made; the log of this service says why', retryAfterMs: null }
    }
  }

  async function settle(batch: Batch, result: ChannelResult, wasSent: boolean): Promise<void> {
    const { channel } = batch.contact
    const now = clock.now()
    if (result.ok) {
      if (wasSent) counters.sent(channel)
      await persist(() => settleSuccess(batch, wasSent, now, timing))
      return
    }
    counters.failed(channel)
    const givenUp = await persist(() => settleFailure(batch, result, now, timing, random))
    if (givenUp !== undefined && givenUp > 0) counters.gaveUp(channel, givenUp)
  }

  function persist<T>(work: () => DbWork<T>): Promise<T | undefined> {
    const failureMessage = 'the result of an alert could not be written; it will be sent again'
    return writeWithRetry(work, { database, clock, log, stopping: stopping.signal, failureMessage })
  }

  const loop: Loop = startLoop('alert sender', log, tick)
  return {
    nudge: () => loop.nudge(),
    async stop(graceMs = options.stopTimeoutMs ?? STOP_TIMEOUT_MS) {
      if (graceMs === 0) stopping.abort()
      await loop.stop()
      const timeout = setTimeout(() => stopping.abort(), graceMs)
      await Promise.all([...inFlight.healthy, ...inFlight.failing])
      clearTimeout(timeout)
      stopping.abort()
    },
  }
}
