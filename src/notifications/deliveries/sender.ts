import { startWorker, type Worker, type WorkerParts } from '../../storage/queue/worker.ts'
import type { DeliveryKind, Medium } from '../../storage/schema/deliveries.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import type { Adapter, Message, Outgoing, Sent } from './adapter.ts'
import { Breakers, type Reachability } from './breaker.ts'
import { nextStep, type SendResult } from './next-step.ts'
import { claimingDeliveries, type DeliveryClaim, deliveryQueue } from './queue.ts'
import { settle } from './settle.ts'

export interface DeliverySenderOptions extends WorkerParts {
  readonly medium: Medium
  /** Does not throw. */
  readonly send: (message: Message, signal: AbortSignal) => Promise<SendResult>
  readonly adapters: Readonly<Record<DeliveryKind, Adapter>>
  readonly random: () => number
  readonly onSettled: (claim: DeliveryClaim, sent: readonly Sent<unknown>[]) => void
}

/** Messages of one delivery in flight at once. */
const CONCURRENCY = 5
const MAX_BULK = 4
const MAX_SINGLE = 10
const REST_MS = 500
/** For all messages of a claim. Much shorter than its lease. */
const TIMEOUT_MS = 90_000

/** Sends the deliveries of one medium. */
export function startDeliverySender(options: DeliverySenderOptions): Worker {
  const { database, clock, log, medium, adapters } = options
  const breakers = new Breakers()

  /** While the mail server does not answer, it is tried with one message at a time, between growing pauses. */
  const capacity = (max: number) => (): number => {
    const { isOpen, pausedUntil } = breakers.of(medium)
    if (clock.now() < pausedUntil) return 0
    return isOpen ? 1 : max
  }

  async function process(claim: DeliveryClaim, stopping: AbortSignal): Promise<void> {
    const adapter = adapters[claim.kind]
    const composed = claim.expires_at <= clock.now() ? undefined : await database.read(adapter.compose(claim))
    if (composed === undefined) return void (await database.write(() => deliveryQueue.remove(claim)))
    const results = await sendAll(composed.messages, AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]))
    const now = clock.now()
    if (!stopping.aborted) breakers.note(medium, reachabilityOf([...results.values()]), now)
    const sent = composed.messages.map((each): Sent<unknown> => {
      const result = results.get(each) ?? NOT_SENT
      return { ...each, result, step: nextStep(result, claim.attempts + 1, adapter.retryDelaysMs, options.random()) }
    })
    const resumeAt = Math.max(now, breakers.of(medium).pausedUntil)
    const failureMessage = 'the results of messages could not be written; they will be sent again'
    const work = () =>
      sent.every(({ step }) => step.do === 'wait')
        ? deliveryQueue.release(claim, resumeAt)
        : settle({ claim, composed, sent, resumeAt }, adapter, now)
    const isSettled = await writeWithRetry(work, { database, clock, log, stopping, failureMessage })
    if (isSettled === true) options.onSettled(claim, sent)
  }

  /** Skips the rest once the mail server is unreachable. */
  async function sendAll(messages: readonly Outgoing<unknown>[], signal: AbortSignal) {
    const results = new Map<Outgoing<unknown>, SendResult>()
    const queue = messages.values()
    let isDown = false
    const sendNext = async (): Promise<void> => {
      for (const each of queue) {
        if (isDown || signal.aborted) return
        const result = await options.send(each.message, signal)
        results.set(each, result)
        isDown ||= reachabilityOf([result]) === 'unreachable'
      }
    }
    await Promise.all(Array.from({ length: breakers.of(medium).isOpen ? 1 : CONCURRENCY }, sendNext))
    return results
  }

  return startWorker<DeliveryClaim>(
    {
      name: `delivery sender ${medium}`,
      lanes: [
        { capacity: capacity(MAX_SINGLE), claim: claimingDeliveries(medium, false) },
        { capacity: capacity(MAX_BULK), claim: claimingDeliveries(medium, true) },
      ],
      queue: deliveryQueue,
      restMs: REST_MS,
      process,
      logFields: ({ id, kind }) => ({ delivery: id, kind }),
    },
    options,
  )
}

const NOT_SENT: SendResult = { ok: false, fault: 'unreachable', error: '' }

function reachabilityOf(results: readonly SendResult[]): Reachability {
  return results.some((result) => !result.ok && result.fault === 'unreachable') ? 'unreachable' : 'answered'
}
