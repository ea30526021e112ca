import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import type { SendHttp } from '../../outbound/outgoing-request.ts'
import { startWorker, type Worker, type WorkerParts } from '../../storage/queue/worker.ts'
import { writeWithRetry } from '../../storage/write-with-retry.ts'
import { Breakers } from '../deliveries/breaker.ts'
import { deliver, GONE, stepAfter } from './deliver.ts'
import { type DueDelivery, type Endpoint, openEndpoint, readDue } from './due-deliveries.ts'
import { claimingEndpoints, type EndpointClaim, endpointQueue } from './endpoint-queue.ts'
import { type AttemptRecord, markOnTheWire, type OnDisabled, type Settlement, settle } from './settle.ts'

export interface SenderCounters {
  /** Requests that have begun (1) or ended (-1). */
  underWay(change: 1 | -1): void
  attempted(succeeded: boolean, lateMs: number): void
  /** A local fault, which is not counted as an attempt. */
  faulted(): void
}

export interface SenderOptions extends WorkerParts {
  readonly post: SendHttp
  readonly sealer: Sealer
  readonly policy: AddressPolicy
  /** The delays before each attempt, including the first. */
  readonly delaysSeconds: readonly number[]
  readonly random: () => number
  readonly onDisabled: OnDisabled
  /** The most endpoints that are sent to at the same time. */
  readonly capacity: number
  readonly counters: SenderCounters
}

/** Requests to one endpoint in flight, over all nodes, because only one node has claimed it. */
const MAX_IN_FLIGHT = 4
/** Deliveries whose attempts are recorded together. A crash repeats at most this many requests to an endpoint. */
const CHUNK_SIZE = 16
/** No request is begun later than this after the claim, so that endpoints take turns. */
const MAX_CLAIM_MS = SECOND_MS
const REST_MS = 250
const LOCAL_FAULT_PAUSE_MS = SECOND_MS
/** A request that is faster is not marked as being on the wire. */
const MARK_AFTER_MS = 50
/** Deliveries whose attempts cannot be written are sent again after this. */
const UNWRITABLE_RETRY_MS = 5 * MINUTE_MS

/** Claims due endpoints, sends some deliveries to each and records the results. */
export function startSender(options: SenderOptions): Worker {
  const { database, clock, log, counters, delaysSeconds, random, capacity } = options
  const breakers = new Breakers()
  const firstDelayMs = (delaysSeconds[0] ?? 0) * SECOND_MS

  async function sendTo(claim: EndpointClaim, stopping: AbortSignal): Promise<void> {
    const keepUntil = clock.now() + MAX_CLAIM_MS
    let kept: EndpointClaim | null | undefined = claim
    while (kept) kept = await sendSome(kept, keepUntil, stopping)
  }

  async function sendSome(claim: EndpointClaim, keepUntil: number, stopping: AbortSignal) {
    const sent = claim.enabled === 0 ? NOTHING : await sendChunk(claim, keepUntil, stopping)
    const save = (settlement: typeof sent, failureMessage: string) => {
      const { pausedUntil } = breakers.of(claim.id)
      const complete = { ...settlement, claim, pausedUntil, keepUntil: stopping.aborted ? 0 : keepUntil }
      const work = () => settle(complete, clock.now(), options.onDisabled)
      return writeWithRetry(work, { database, clock, log, stopping, failureMessage, logFields: { endpoint: claim.id } })
    }
    const saved = await save(sent, 'webhook attempts could not be written; they are made again')
    if (saved !== undefined || stopping.aborted) return saved
    // If this is written, the database works and an attempt itself is at fault. It must not block later deliveries.
    const dueAt = clock.now() + UNWRITABLE_RETRY_MS
    const postponed = sent.records.map(({ delivery: { id } }) => ({ id, dueAt }))
    return save({ ...sent, records: [], postponed }, 'webhook deliveries could not be postponed')
  }

  async function sendChunk(claim: EndpointClaim, sendUntil: number, stopping: AbortSignal): Promise<Chunk> {
    const now = clock.now()
    const endpoint = openEndpoint(claim, options.sealer, options.policy, now)
    const chunk = await database.read(readDue(claim, now, CHUNK_SIZE, options.sealer))
    // Deliveries are created due at once; a schedule that begins with a delay is applied here.
    const { early = [], due = [] } = Object.groupBy(chunk, ({ attemptCount, manual, createdAt }) =>
      attemptCount === 0 && !manual && createdAt + firstDelayMs > now ? 'early' : 'due',
    )
    const postponed = early.map(({ id, createdAt }) => ({ id, dueAt: createdAt + firstDelayMs }))
    return { url: endpoint.url, postponed, ...(await sendAll(claim, endpoint, due, sendUntil, stopping)) }
  }

  /** Ends early at a local fault, when the receiver is gone or does not answer, and after `sendUntil`. */
  async function sendAll(
    claim: EndpointClaim,
    endpoint: Endpoint,
    due: readonly DueDelivery[],
    sendUntil: number,
    stopping: AbortSignal,
  ): Promise<Pick<Chunk, 'records' | 'faultUntil'>> {
    const records: AttemptRecord[] = []
    const queue = due.values()
    let faultUntil = 0
    let isGone = false
    const maySend = ({ manual }: DueDelivery, now: number): boolean =>
      !isGone && faultUntil === 0 && now <= sendUntil && (manual || now >= breakers.of(claim.id).pausedUntil)
    const sendNext = async (): Promise<void> => {
      for (const delivery of queue) {
        if (stopping.aborted || !maySend(delivery, clock.now())) return
        const attempt = await send(claim, endpoint, delivery, stopping)
        const at = clock.now()
        if ('localFault' in attempt) {
          counters.faulted()
          faultUntil = at + LOCAL_FAULT_PAUSE_MS
          return
        }
        const { error, responseStatus } = attempt
        counters.attempted(error === null, attempt.startedAt - delivery.dueAt)
        breakers.note(claim.id, responseStatus === null ? 'unreachable' : 'answered', at)
        isGone ||= responseStatus === GONE
        records.push({ delivery, attempt, step: stepAfter(attempt, delivery, at, { delaysSeconds, random }), at })
      }
    }
    await Promise.all(Array.from({ length: breakers.of(claim.id).isOpen ? 1 : MAX_IN_FLIGHT }, sendNext))
    return { records, faultUntil }
  }

  async function send(claim: EndpointClaim, endpoint: Endpoint, delivery: DueDelivery, stopping: AbortSignal) {
    let marking: Promise<void> | undefined
    const timer = setTimeout(() => {
      marking = database
        .write(() => markOnTheWire(claim, delivery))
        .catch(tolerate(log, 'marking a webhook delivery as being sent'))
    }, MARK_AFTER_MS)
    counters.underWay(1)
    try {
      return await deliver(endpoint, delivery, options, stopping)
    } catch (error) {
      log.error({ err: error, endpoint: claim.id }, 'a webhook could not be sent')
      return { localFault: 'It could not be sent' }
    } finally {
      counters.underWay(-1)
      clearTimeout(timer)
      await marking
    }
  }

  return startWorker<EndpointClaim>(
    {
      name: 'webhook sender',
      lanes: [
        { capacity: () => capacity, claim: claimingEndpoints(false) },
        // Failing endpoints are slow, so they have places of their own.
        { capacity: () => capacity / 2, claim: claimingEndpoints(true) },
      ],
      queue: endpointQueue,
      restMs: REST_MS,
      process: sendTo,
      logFields: ({ id }) => ({ endpoint: id }),
    },
    options,
  )
}

/** What was sent under a claim. */
type Chunk = Pick<Settlement, 'url' | 'records' | 'postponed' | 'faultUntil'>

const NOTHING: Chunk = { url: '', records: [], postponed: [], faultUntil: 0 }
