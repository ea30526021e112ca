import { SECOND_MS } from '../../lib/clock.ts'
import type { Rest } from '../../lib/loop.ts'
import { tolerate } from '../../lib/tolerate.ts'
import { Breakers } from '../deliveries/breaker.ts'
import { type AttemptWriter, startAttemptWriter } from './attempt-writer.ts'
import { claimEndpoints, type EndpointClaim, endpointQueue } from './endpoint-queue.ts'
import { EndpointSender, type EndpointSenderParts } from './endpoint-sender.ts'
import type { OnDisabled } from './record-attempts.ts'
import { Slots } from './slots.ts'

export interface SenderParts extends Omit<EndpointSenderParts, 'writer' | 'slots' | 'breakers' | 'abort'> {
  /** This node, as its claims name it. */
  readonly node: string
  readonly onDisabled: OnDisabled
  /** The most requests in flight; each holds a socket. */
  readonly capacity: number
}

/** Endpoints claimed at the same time. One that does not answer is released between two attempts. */
const MAX_ENDPOINTS = 1_000
const BATCH = 100
const POLL_MS = 250
/** On a stop, requests in flight get this long before they are aborted. */
const STOP_GRACE_MS = 5 * SECOND_MS

/** Claims due endpoints and runs an EndpointSender for each. All state that matters is in the database. */
export class Dispatcher {
  readonly #parts: SenderParts
  readonly #abort = new AbortController()
  readonly #writer: AttemptWriter
  readonly #slots: Slots
  readonly #senderParts: EndpointSenderParts
  readonly #senders = new Map<EndpointSender, Promise<void>>()
  #isStopping = false

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#writer = startAttemptWriter(parts)
    this.#slots = new Slots(parts.capacity)
    this.#senderParts = {
      ...parts,
      writer: this.#writer,
      slots: this.#slots,
      breakers: new Breakers(),
      abort: this.#abort.signal,
    }
  }

  get inFlight(): number {
    return this.#slots.taken
  }

  async claimDue(): Promise<Rest> {
    const { database, clock, node } = this.#parts
    const limit = Math.min(BATCH, MAX_ENDPOINTS - this.#senders.size)
    const now = clock.now()
    if (limit <= 0 || !(await database.read(endpointQueue.isAnyDue(now)))) return { restMs: POLL_MS }
    const claims = await database.write(() => claimEndpoints({ node, now, limit }))
    // A claim whose lease ran out may be claimed again by this same node: its sender goes on.
    const served = new Set(this.#active().map(({ claim }) => claim.endpointId))
    // Claims that arrive after the stop began are released with the others.
    if (this.#isStopping) return { restMs: POLL_MS }
    for (const claim of claims) if (!served.has(claim.endpointId)) this.#start(claim)
    return claims.length === limit ? 'again' : { restMs: POLL_MS }
  }

  async extendLeases(): Promise<void> {
    const { database, clock } = this.#parts
    const active = this.#active()
    const leases = active.map(({ claim }) => claim.lease)
    const kept = await database.write(() => endpointQueue.extend(leases, clock.now()))
    for (const sender of active) if (!kept.get(sender.claim.lease)) sender.end()
  }

  /** Resolves when no endpoint is being sent to. */
  async idle(): Promise<void> {
    while (this.#senders.size > 0) await Promise.all(this.#senders.values())
  }

  /** Aborts requests in flight and begins no others. */
  abort(): void {
    this.#isStopping = true
    for (const sender of this.#senders.keys()) sender.end()
    this.#abort.abort()
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    const { database, clock, log, node } = this.#parts
    this.#isStopping = true
    for (const sender of this.#senders.keys()) sender.end()
    const grace = setTimeout(() => this.#abort.abort(), graceMs)
    await this.idle()
    clearTimeout(grace)
    await this.#writer.stop()
    await database
      .write(() => endpointQueue.releaseOf(node, clock.now()))
      .catch(tolerate(log, 'releasing webhook endpoints'))
  }

  #start(claim: EndpointClaim): void {
    const sender = new EndpointSender(claim, this.#senderParts)
    this.#senders.set(
      sender,
      sender.run().finally(() => this.#senders.delete(sender)),
    )
  }

  #active(): EndpointSender[] {
    return [...this.#senders.keys()].filter(({ isEnded }) => !isEnded)
  }
}
