import type { Transports } from '../../contract/services.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { startWorker, type Worker, type WorkerParts } from '../../storage/queue/worker.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { type Batch, collectBatch } from './batch.ts'
import type { ChannelResult } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Claim, claimFailing, claimHealthy, contactQueue } from './claim.ts'
import { composeMessage, dashboardUrlOf, type Message } from './message.ts'
import { readerOf } from './reader.ts'
import { openSettings } from './settings.ts'
import { releaseClaim, type SendTiming, settleFailure, settleSuccess } from './settle.ts'
import { type UptimeSince, withUptimes } from './uptimes.ts'

export interface AlertCounters {
  sent(channel: string): void
  failed(channel: string): void
  gaveUp(channel: string, alerts: number): void
}

export interface AlertSenderOptions extends WorkerParts {
  readonly transports: Transports
  readonly sealer: Sealer
  readonly random: () => number
  readonly counters: AlertCounters
  readonly timing: SendTiming
  /** The base of links in messages. */
  readonly baseUrl: () => string
  /** The most messages in flight at once, without those to failing contacts. */
  readonly capacity: number
  /** Of monitors that are up again. */
  readonly uptimeSince: UptimeSince
}

const REST_MS = 250
/** For a whole message, which can be several requests. */
const MESSAGE_TIMEOUT_MS = 60_000
/** Shorter, because a contact gets one message at a time and an outage may follow. */
const LESS_URGENT_TIMEOUT_MS = 15_000

/** Messages of one storm are one spacing apart; the second spacing leaves time for retries. */
const STORM_SPACINGS = 2

/** Claims due contacts, sends one message to each and records the result. */
export function startAlertSender(options: AlertSenderOptions): Worker {
  const { database, clock, random, log, counters, timing, capacity } = options

  async function sendAlerts(claim: Claim, stopping: AbortSignal): Promise<void> {
    const messageId = newId('ntc', claim.claimedAt)
    const batch = await database.write(() => collectBatch(claim, messageId, STORM_SPACINGS * timing.spacingMs))
    if (batch === undefined) return void (await database.write(() => releaseClaim(claim)))
    const { contact, organization, ongoing, flapping, resolvedThreads } = batch
    const from = { organization: organization.name, dashboardUrl: dashboardUrlOf(options.baseUrl(), claim.org_id) }
    const reader = readerOf(contact, organization)
    const uptimes = withUptimes(claim.org_id, batch.alerts, reader.timezone, options.uptimeSince, clock.now())
    const message = composeMessage({
      alerts: await database.read(uptimes),
      reader,
      ongoing,
      flapping,
      from,
      at: clock.now(),
      ...(resolvedThreads && { resolvedThreads }),
    })
    // A channel that tracks incidents gets requests for opened and resolved threads only.
    const isWorthSending =
      resolvedThreads === undefined || message.openedThreads.length + message.resolvedThreads.length > 0
    const result = isWorthSending ? await send(batch, message, stopping) : ({ ok: true } as const)
    // Aborted by the stop: it may or may not have arrived, and is sent again.
    if (!result.ok && stopping.aborted) return void (await database.write(() => releaseClaim(claim)))
    await settle(batch, result, isWorthSending, stopping)
  }

  async function send({ contact, alerts }: Batch, message: Message, stopping: AbortSignal): Promise<ChannelResult> {
    const isUrgent = alerts.some(({ kind }) => kind === 'opened')
    const timeoutMs = isUrgent ? MESSAGE_TIMEOUT_MS : LESS_URGENT_TIMEOUT_MS
    try {
      return await channels[contact.channel as ChannelName].send({
        ...options.transports,
        to: openSettings(contact, options.sealer),
        message,
        signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
        now: clock.now(),
      })
    } catch (error) {
      log.error({ err: error, contact: contact.id }, 'a message to a contact could not be made')
      return { ok: false, error: 'The message could not be made; the log of this service says why', retryAfterMs: null }
    }
  }

  async function settle(batch: Batch, result: ChannelResult, wasSent: boolean, stopping: AbortSignal): Promise<void> {
    const { channel } = batch.contact
    const now = clock.now()
    const failureMessage = 'the result of an alert could not be written; it will be sent again'
    const retrying = { database, clock, log, stopping, failureMessage }
    if (result.ok) {
      if (wasSent) counters.sent(channel)
      await writeWithRetry(() => settleSuccess(batch, wasSent, now, timing), retrying)
      return
    }
    counters.failed(channel)
    const givenUp = await writeWithRetry(() => settleFailure(batch, result, now, timing, random), retrying)
    if (givenUp !== undefined && givenUp > 0) counters.gaveUp(channel, givenUp)
  }

  return startWorker<Claim>(
    {
      name: 'alert sender',
      lanes: [
        { capacity: () => capacity, claim: claimHealthy },
        // Failing contacts are slow, so they have places of their own.
        { capacity: () => capacity / 2, claim: claimFailing },
      ],
      queue: contactQueue,
      waitMs: timing.groupWaitMs,
      restMs: REST_MS,
      process: sendAlerts,
      logFields: ({ id }) => ({ contact: id }),
    },
    options,
  )
}
