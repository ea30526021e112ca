import { type Clock, SECOND_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import type { SendHttp } from '../../outbound/outgoing-request.ts'
import type { Database } from '../../storage/database.ts'
import { FAILED_RETRY_MS } from '../../storage/queue/process.ts'
import type { Breakers } from '../deliveries/breaker.ts'
import type { AttemptWriter } from './attempt-writer.ts'
import { delayFirstAttempts } from './delay-first-attempts.ts'
import { type DeliveryResult, deliver, stepAfter } from './deliver.ts'
import {
  type Cursor,
  type DueDelivery,
  type DuePage,
  type Endpoint,
  endpointOf,
  readDue,
  START,
} from './due-deliveries.ts'
import type { EndpointClaim } from './endpoint-queue.ts'
import { failPending } from './fail-pending.ts'
import { markSending } from './mark-sending.ts'
import { releaseEndpoint } from './release-endpoint.ts'
import type { SlotKind, Slots, SlotWaiter } from './slots.ts'

export interface SenderCounters {
  attempted(succeeded: boolean, lateMs: number): void
  /** A local fault, which is not counted as an attempt. */
  faulted(): void
}

export interface EndpointSenderParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly post: SendHttp
  readonly sealer: Sealer
  readonly policy: AddressPolicy
  /** The delays before each attempt, including the first. */
  readonly delaysSeconds: readonly number[]
  readonly random: () => number
  readonly writer: AttemptWriter
  readonly slots: Slots
  readonly breakers: Breakers
  readonly counters: SenderCounters
  /** Aborts the requests in flight. */
  readonly abort: AbortSignal
}

/** Per endpoint and over all nodes, because only one node has claimed it. */
const MAX_IN_FLIGHT = 4
const PAGE = 128
const MAX_UNWRITTEN = 256
/** A page is read again after this: the endpoint may have been edited, or a manual retry requested. */
const PAGE_FRESH_MS = SECOND_MS
const POLL_MS = 250
const LOCAL_FAULT_PAUSE_MS = SECOND_MS
const UNREADABLE_SECRET_PAUSE_MS = 60 * SECOND_MS

/** Sends to one endpoint that its node has claimed, until nothing is due to it. */
export class EndpointSender implements SlotWaiter {
  readonly claim: EndpointClaim
  readonly #parts: EndpointSenderParts
  /** Deliveries in flight, or whose attempt is not written yet. */
  readonly #started = new Set<string>()
  #inFlight = 0
  #unwritten = 0
  #unmarked = 0
  #cursor: Cursor = START
  /** Nothing is sent until then, because of a fault on this side. */
  #faultUntil = 0
  /** The receiver answered 410, and that is not written yet. */
  #isGone = false
  #isEnded = false
  #wake: (() => void) | undefined

  constructor(claim: EndpointClaim, parts: EndpointSenderParts) {
    this.claim = claim
    this.#parts = parts
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Starts no further request. The claim was released or lost, or its caller releases it. */
  end(): void {
    this.#isEnded = true
    this.#notify()
  }

  retry(): void {
    this.#notify()
  }

  /** Resolves when the endpoint was released, lost or deleted and nothing is in flight. */
  async run(): Promise<void> {
    while (!this.#isEnded) await this.#round().catch((error: unknown) => this.#pauseAfter(error))
    while (this.#inFlight + this.#unmarked > 0) await this.#nextChange(POLL_MS)
  }

  async #round(): Promise<void> {
    const { database, clock, sealer } = this.#parts
    // Copied before the page is read: an attempt that is written in between is still due on that page.
    const started = new Set(this.#started)
    const page = await database.read(readDue(this.claim, clock.now(), this.#cursor, PAGE, sealer))
    if (page === undefined) return this.end()
    if (page.endpoint.enabled === 0) return this.#failPending()
    const endpoint = this.#openEndpoint(page)
    const isThrough = endpoint !== undefined && (await this.#sendPage(page, endpoint, started))
    if (isThrough && page.scheduled.length === PAGE) return
    this.#cursor = START
    await this.#untilWritten()
    if (this.#started.size === 0) await this.#release()
  }

  /** Releases the endpoint with a delay, so that one that cannot be read or processed blocks nothing. */
  async #pauseAfter(error: unknown): Promise<void> {
    const { clock, log } = this.#parts
    const { endpointId } = this.claim
    log.error({ err: error, endpoint: endpointId }, 'sending to a webhook endpoint failed; it is tried again')
    this.#faultUntil = clock.now() + FAILED_RETRY_MS
    this.#cursor = START
    try {
      await this.#untilWritten()
      if (this.#started.size === 0) return await this.#release()
    } catch (failure) {
      log.error({ err: failure, endpoint: endpointId }, 'a webhook endpoint could not be released; it is tried again')
    }
    await this.#nextChange(LOCAL_FAULT_PAUSE_MS)
  }

  #openEndpoint({ endpoint }: DuePage): Endpoint | undefined {
    const { sealer, policy, clock, log } = this.#parts
    try {
      return endpointOf(this.claim, endpoint, { sealer, policy, now: clock.now() })
    } catch (error) {
      log.error(
        { err: error, endpoint: this.claim.endpointId },
        'the URL or the secret of a webhook endpoint cannot be opened',
      )
      this.#faultUntil = clock.now() + UNREADABLE_SECRET_PAUSE_MS
      return undefined
    }
  }

  /** Sends what was not started yet. False if it stopped before the end of the page. */
  async #sendPage(page: DuePage, endpoint: Endpoint, started: Set<string>): Promise<boolean> {
    const staleAt = this.#parts.clock.now() + PAGE_FRESH_MS
    const manual = new Set(page.manual)
    for (const delivery of [...manual, ...(await this.#withoutDelayed(page.scheduled))]) {
      if (!started.has(delivery.deliveryId)) {
        const slot = await this.#takeSlot(delivery, staleAt)
        if (slot === undefined) return this.#parts.clock.now() > staleAt
        started.add(delivery.deliveryId)
        void this.#send(delivery, endpoint, slot)
      }
      // Manual retries appear among the scheduled ones too and are skipped there, so that the cursor moves past them.
      if (!manual.has(delivery)) this.#cursor = { dueAt: delivery.dueAt, seq: delivery.seq }
    }
    return true
  }

  async #withoutDelayed(deliveries: readonly DueDelivery[]): Promise<readonly DueDelivery[]> {
    const { database, clock, delaysSeconds } = this.#parts
    const firstDelayMs = (delaysSeconds[0] ?? 0) * SECOND_MS
    if (firstDelayMs === 0) return deliveries
    const now = clock.now()
    const { early = [], due = [] } = Object.groupBy(deliveries, ({ attemptCount, manual, createdAt }) =>
      attemptCount === 0 && !manual && createdAt + firstDelayMs > now ? 'early' : 'due',
    )
    if (early.length > 0) await database.write(() => delayFirstAttempts(this.claim.orgId, early, firstDelayMs))
    return due
  }

  /** Waits for a free slot; undefined if the page should be read again first. */
  async #takeSlot(delivery: DueDelivery, staleAt: number): Promise<SlotKind | undefined> {
    const { clock, slots, breakers, writer } = this.#parts
    for (;;) {
      const now = clock.now()
      if (this.#isEnded || this.#isGone || now > staleAt) return undefined
      const { isOpen, pausedUntil } = breakers.of(this.claim.endpointId)
      if (now < this.#faultUntil || (!delivery.manual && now < pausedUntil)) return undefined
      const hasRoom = this.#inFlight < (isOpen && !delivery.manual ? 1 : MAX_IN_FLIGHT)
      if (hasRoom && this.#unwritten < MAX_UNWRITTEN && !writer.isFull) {
        const kind = isOpen ? 'unreachable' : this.#inFlight === 0 ? 'first' : 'extra'
        if (slots.take(kind, this)) return kind
      }
      await this.#nextChange(POLL_MS)
    }
  }

  async #send(delivery: DueDelivery, endpoint: Endpoint, slot: SlotKind): Promise<void> {
    const { slots, abort, log } = this.#parts
    this.#started.add(delivery.deliveryId)
    this.#inFlight += 1
    void this.#mark(delivery)
    const result = await deliver(endpoint, delivery, this.#parts, abort).catch((error: unknown): DeliveryResult => {
      log.error({ err: error, endpoint: this.claim.endpointId }, 'a webhook could not be sent')
      return { localFault: 'It could not be sent' }
    })
    this.#inFlight -= 1
    slots.release(slot)
    this.#handle(result, delivery, endpoint)
    this.#notify()
  }

  /** Not awaited: the request must not wait for it. A manual retry that comes first is served by the attempt in flight. */
  async #mark({ deliveryId, attemptCount }: DueDelivery): Promise<void> {
    const { database, log } = this.#parts
    const { orgId, lease } = this.claim
    this.#unmarked += 1
    await database
      .write(() => markSending({ orgId, id: deliveryId, attemptCount, node: lease.node }), 'batched')
      .catch(tolerate(log, 'marking a webhook delivery as being sent'))
    this.#unmarked -= 1
    this.#notify()
  }

  #handle(result: DeliveryResult, delivery: DueDelivery, { url }: Endpoint): void {
    const { clock, counters, breakers, writer, delaysSeconds, random } = this.#parts
    const at = clock.now()
    if ('localFault' in result) {
      this.#started.delete(delivery.deliveryId)
      this.#faultUntil = at + LOCAL_FAULT_PAUSE_MS
      counters.faulted()
      return
    }
    const { succeeded, reachability, gone, startedAt } = result
    counters.attempted(succeeded, startedAt - delivery.dueAt)
    breakers.note(this.claim.endpointId, reachability, at)
    if (gone) this.#isGone = true
    const step = stepAfter(result, delivery, at, { delaysSeconds, random })
    const attemptId = newId('att', startedAt)
    this.#unwritten += 1
    writer.add({ claim: this.claim, url, delivery, attempt: result, attemptId, step, at }, () => {
      this.#unwritten -= 1
      this.#started.delete(delivery.deliveryId)
      if (gone) this.#isGone = false
      this.#notify()
    })
  }

  async #failPending(): Promise<void> {
    const { database, clock } = this.#parts
    await this.#untilWritten()
    if (this.#started.size > 0) return
    const isMore = await database.write(() => failPending(this.claim, clock.now()), 'batched')
    if (!isMore) await this.#release()
  }

  async #release(): Promise<void> {
    const { database, clock, breakers } = this.#parts
    if (this.#isEnded) return
    const now = clock.now()
    const { pausedUntil } = breakers.of(this.claim.endpointId)
    const pause = { until: Math.max(this.#faultUntil, pausedUntil), includesManual: this.#faultUntil > now }
    const result = await database.write(() => releaseEndpoint(this.claim, now, pause), 'batched')
    if (result !== 'moreDue') this.end()
  }

  /** Waits until every attempt is written, but at most POLL_MS: more may have become due. */
  async #untilWritten(): Promise<void> {
    const until = performance.now() + POLL_MS
    while (this.#started.size > 0 && !this.#isEnded) {
      const leftMs = until - performance.now()
      if (leftMs <= 0) return
      await this.#nextChange(leftMs)
    }
  }

  #notify(): void {
    this.#wake?.()
  }

  #nextChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#wake = done
    })
  }
}
