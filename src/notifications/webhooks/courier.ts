import type { Clock } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Policy } from '../../outbound/addresses.ts'
import type { Post } from '../../outbound/post.ts'
import type { Database } from '../../storage/database.ts'
import { abandonSome } from './abandon.ts'
import type { Breakers } from './breakers.ts'
import { type Claim, letGo } from './claim.ts'
import { type Delivered, deliver } from './deliver.ts'
import { nextStep } from './next-step.ts'
import { type Addressee, addresseeOf, type Cursor, fromTheStart, type Page, type Parcel, readPage } from './page.ts'
import { postpone } from './postpone.ts'
import type { Recorder } from './recorder.ts'
import type { Kind, Slots, Waiter } from './slots.ts'

/** What the sender tells of itself. */
export interface SenderCounts {
  attempted(succeeded: boolean, lateMs: number): void
  /** An attempt that did not count, through a fault of ours. */
  faulted(): void
}

export interface CourierParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly node: string
  readonly post: Post
  readonly sealer: Sealer
  readonly policy: Policy
  /** Before each attempt, the first one's included. */
  readonly delaysSeconds: readonly number[]
  readonly random: () => number
  readonly recorder: Recorder
  readonly slots: Slots
  readonly breakers: Breakers
  readonly counts: SenderCounts
  /** Ends what is under way. */
  readonly cut: AbortSignal
}

/** Requests to one endpoint at the same time, over all nodes: only one node has it. */
const LANES = 4
const PAGE = 128
/** Attempts of one endpoint that are not written yet. */
const MOST_UNWRITTEN = 256
/** A page is put away after this, for the endpoint may have been edited, and somebody may have asked for a retry. */
const FRESH_MS = SECOND_MS
const LOOK_AGAIN_MS = 250
const AFTER_FAULT_MS = SECOND_MS
const WITHOUT_KEY_MS = 60 * SECOND_MS

/** Sends to one endpoint, which its node has claimed, for as long as something is due to it. */
export class Courier implements Waiter {
  readonly claim: Claim
  readonly #parts: CourierParts
  /** Deliveries that are under way, or whose attempt is not written yet. */
  readonly #known = new Set<string>()
  #inFlight = 0
  #unwritten = 0
  #cursor: Cursor = fromTheStart
  /** Until then nothing is sent, because of a fault of ours. */
  #faultUntil = 0
  /** The receiver wants nothing more, and that is not written yet. */
  #isGone = false
  #isOver = false
  #wake: (() => void) | undefined

  constructor(claim: Claim, parts: CourierParts) {
    this.claim = claim
    this.#parts = parts
  }

  /** It begins nothing more. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Begins nothing more; the claim is given back by whoever asks for this, or is somebody else's already. */
  end(): void {
    this.#isOver = true
    this.#nudge()
  }

  retry(): void {
    this.#nudge()
  }

  /** Ends when the endpoint rests, is gone or was lost, and nothing is under way any more. */
  async serve(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#round()
      } catch (error) {
        this.#parts.log.error({ err: error, endpoint: this.claim.endpointId }, 'sending was interrupted; it goes on')
        await this.#change(AFTER_FAULT_MS)
      }
    }
    while (this.#inFlight > 0) await this.#change(LOOK_AGAIN_MS)
  }

  async #round(): Promise<void> {
    const { database, clock } = this.#parts
    // Known from before the page is read on: what is written while it is gone through still stands in it as due.
    const begun = new Set(this.#known)
    const page = await database.read(readPage(this.claim, clock.now(), this.#cursor, PAGE))
    if (page === undefined) return this.end()
    if (page.endpoint.enabled === 0) return this.#abandon()
    const addressee = this.#addressee(page)
    const isThrough = addressee !== undefined && (await this.#sendAll(page, addressee, begun))
    if (isThrough && page.due.length === PAGE) return
    this.#cursor = fromTheStart
    await this.#quiet()
    if (this.#known.size === 0) await this.#letGo()
  }

  #addressee({ endpoint }: Page): Addressee | undefined {
    const { sealer, policy, clock, log } = this.#parts
    try {
      return addresseeOf(this.claim, endpoint, { sealer, policy, now: clock.now() })
    } catch (error) {
      log.error({ err: error, endpoint: this.claim.endpointId }, 'the secret of a webhook endpoint cannot be opened')
      this.#faultUntil = clock.now() + WITHOUT_KEY_MS
      return undefined
    }
  }

  /** Sends what is not begun yet. False when it did not get to the end of the page. */
  async #sendAll(page: Page, addressee: Addressee, begun: Set<string>): Promise<boolean> {
    const staleAt = performance.now() + FRESH_MS
    const asked = new Set(page.asked)
    for (const parcel of [...asked, ...(await this.#ripe(page.due))]) {
      if (!begun.has(parcel.deliveryId)) {
        const kind = await this.#turn(parcel, staleAt)
        if (kind === undefined) return performance.now() > staleAt
        begun.add(parcel.deliveryId)
        void this.#send(parcel, addressee, kind)
      }
      // What was asked for by hand is due as well, and passed there like everything else: a page full of it would otherwise
      // be read over and over until all of it is written.
      if (!asked.has(parcel)) this.#cursor = { dueAt: parcel.dueAt, seq: parcel.seq }
    }
    return true
  }

  /** The delay before the first attempt is not known where deliveries are made. */
  async #ripe(parcels: readonly Parcel[]): Promise<readonly Parcel[]> {
    const { database, clock, delaysSeconds } = this.#parts
    const firstDelayMs = (delaysSeconds[0] ?? 0) * SECOND_MS
    if (firstDelayMs === 0) return parcels
    const now = clock.now()
    const { early = [], ripe = [] } = Object.groupBy(parcels, ({ attemptCount, manual, createdAt }) =>
      attemptCount === 0 && !manual && createdAt + firstDelayMs > now ? 'early' : 'ripe',
    )
    if (early.length > 0) await database.write(() => postpone(this.claim.orgId, early, firstDelayMs))
    return ripe
  }

  /** Waits for a place among those that are under way; undefined where it is better to look again. */
  async #turn(parcel: Parcel, staleAt: number): Promise<Kind | undefined> {
    const { clock, slots, breakers, recorder } = this.#parts
    for (;;) {
      if (this.#isOver || this.#isGone || performance.now() > staleAt) return undefined
      const now = clock.now()
      const { isSuspect, restUntil } = breakers.of(this.claim.endpointId)
      if (now < this.#faultUntil || (!parcel.manual && now < restUntil)) return undefined
      const hasLane = this.#inFlight < (isSuspect ? 1 : LANES)
      if (hasLane && this.#unwritten < MOST_UNWRITTEN && !recorder.isFull) {
        const kind = isSuspect ? 'suspect' : this.#inFlight === 0 ? 'first' : 'extra'
        if (slots.take(kind, this)) return kind
      }
      await this.#change(LOOK_AGAIN_MS)
    }
  }

  async #send(parcel: Parcel, addressee: Addressee, kind: Kind): Promise<void> {
    const { slots, cut, log } = this.#parts
    this.#known.add(parcel.deliveryId)
    this.#inFlight += 1
    const delivered = await deliver(addressee, parcel, this.#parts, cut).catch((error: unknown): Delivered => {
      log.error({ err: error, endpoint: this.claim.endpointId }, 'a webhook could not be sent')
      return { ours: 'It could not be sent' }
    })
    this.#inFlight -= 1
    slots.give(kind)
    this.#settle(parcel, addressee, delivered)
    this.#nudge()
  }

  #settle(parcel: Parcel, { url }: Addressee, delivered: Delivered): void {
    const { clock, counts, breakers, recorder, delaysSeconds, random } = this.#parts
    const at = clock.now()
    if ('ours' in delivered) {
      this.#known.delete(parcel.deliveryId)
      this.#faultUntil = at + AFTER_FAULT_MS
      counts.faulted()
      return
    }
    const { succeeded, contact, gone, retryAfterMs, startedAt } = delivered
    counts.attempted(succeeded, startedAt - parcel.dueAt)
    breakers.note(this.claim.endpointId, contact, at)
    if (gone) this.#isGone = true
    const tried = { number: parcel.attemptCount + 1, manual: parcel.manual, succeeded, retryAfterMs }
    const step = nextStep(tried, delaysSeconds, random())
    const attemptId = newId('att', startedAt)
    this.#unwritten += 1
    recorder.add({ claim: this.claim, url, parcel, attempt: delivered, attemptId, step, at }, () => {
      this.#unwritten -= 1
      this.#known.delete(parcel.deliveryId)
      if (gone) this.#isGone = false
      this.#nudge()
    })
  }

  /** A disabled endpoint is sent nothing more; what waits for it has failed. */
  async #abandon(): Promise<void> {
    const { database, clock } = this.#parts
    await this.#quiet()
    if (this.#known.size > 0) return
    const isMore = await database.write(() => abandonSome(this.claim, clock.now()), 'patient')
    if (!isMore) await this.#letGo()
  }

  async #letGo(): Promise<void> {
    const { database, clock, node, breakers } = this.#parts
    if (this.#isOver) return
    const now = clock.now()
    const fault = this.#faultUntil
    const rest = { until: Math.max(fault, breakers.of(this.claim.endpointId).restUntil), evenByHand: fault > now }
    if ((await database.write(() => letGo(node, this.claim, now, rest), 'patient')) !== 'more') this.end()
  }

  /** Waits until all is written, but no longer than a moment: meanwhile there may be more to send. */
  async #quiet(): Promise<void> {
    const until = performance.now() + LOOK_AGAIN_MS
    while (this.#known.size > 0 && !this.#isOver) {
      const leftMs = until - performance.now()
      if (leftMs <= 0) return
      await this.#change(leftMs)
    }
  }

  #nudge(): void {
    this.#wake?.()
  }

  /** Waits until something has changed, or the time is over. */
  #change(timeoutMs: number): Promise<void> {
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
