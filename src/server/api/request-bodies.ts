import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../contract/errors.ts'

/** Memory of all request bodies that are still arriving. One address may take half of it. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Bodies of one address that arrive at the same time. A browser sends six, a script with parallel requests some dozens. Clients of a
 * proxy count by their own addresses if the proxy is trusted.
 */
const MAX_BODIES_PER_ADDRESS = 64

/** How much of a body is needed. */
interface BodyLimits {
  readonly maxBytes: number
  /** Whether a longer body is read to its end, and its rest discarded. */
  readonly readsAll: boolean
  /** Default: the limit of the server for a whole request. */
  readonly timeoutMs?: number
}

interface Received {
  readonly bytes: Buffer
  /** Why these are not all bytes. */
  readonly cut: 'too long' | 'too slow' | undefined
}

interface Sender {
  readonly address: string
  /** Oldest first. */
  readonly bodies: Set<Arriving>
  bytes: number
}

interface Arriving {
  readonly sender: Sender
  bytes: number
  /** Stops reading, frees the memory and answers 429. */
  readonly refuse: () => void
}

declare module 'fastify' {
  interface FastifyInstance {
    requestBodies: RequestBodies
  }
}

/**
 * Reads request bodies within a memory budget. If a body needs more than is left, the address that holds most loses its oldest body,
 * which is most likely one that has stalled. Without it, 290 clients that stop sending would hold 600 MB.
 */
export class RequestBodies {
  readonly #senders = new Map<string, Sender>()
  readonly #onRefuse: () => void
  #bytes = 0

  constructor(onRefuse: () => void) {
    this.#onRefuse = onRefuse
  }

  get bytes(): number {
    return this.#bytes
  }

  receive(request: IncomingMessage, address: string, { maxBytes, readsAll, timeoutMs }: BodyLimits): Promise<Received> {
    return new Promise((resolve, reject) => {
      const capacity = Math.min(maxBytes, Number(request.headers['content-length'] ?? maxBytes))
      let kept: Buffer = Buffer.alloc(0)
      let size = 0
      let isTooLong = false
      const stop = (): void => {
        clearTimeout(timer)
        request.off('data', onData).off('end', onEnd).off('error', onGone).off('aborted', onGone)
        if (body !== undefined) this.#remove(body)
      }
      const settle = (cut: Received['cut']): void => {
        stop()
        resolve({ bytes: kept.subarray(0, size), cut })
      }
      const refuse = (): void => {
        stop()
        kept = Buffer.alloc(0)
        this.#onRefuse()
        reject(tooManyBodies())
      }
      // Chunks are copied, because each holds up to 64 KiB, and a client can send chunks of one byte.
      const keep = (chunk: Buffer): void => {
        const needed = Math.min(size + chunk.length, maxBytes)
        if (needed > kept.length) {
          const grown = Math.min(Math.max(needed, 2 * kept.length), capacity)
          if (body !== undefined && !this.#grow(body, grown - kept.length)) return
          const larger = Buffer.allocUnsafeSlow(grown)
          kept.copy(larger, 0, 0, size)
          kept = larger
        }
        chunk.copy(kept, size)
        size = needed
      }
      const onData = (chunk: Buffer): void => {
        isTooLong ||= size + chunk.length > maxBytes
        if (isTooLong && !readsAll) settle('too long')
        else keep(chunk)
      }
      const onEnd = (): void => settle(isTooLong ? 'too long' : undefined)
      const onGone = (): void => {
        stop()
        reject(new ClientGone(DISCONNECTED))
      }
      // It emits nothing any more.
      if (request.destroyed) return reject(new ClientGone(DISCONNECTED))
      // A body that has arrived with its headers needs no place.
      const body = request.complete ? undefined : this.#add(address, refuse)
      const timer = timeoutMs === undefined ? undefined : setTimeout(settle, timeoutMs, 'too slow')
      request.on('data', onData).on('end', onEnd).on('error', onGone).on('aborted', onGone)
    })
  }

  #add(address: string, refuse: () => void): Arriving {
    const sender = this.#senders.get(address) ?? { address, bodies: new Set(), bytes: 0 }
    if (sender.bodies.size >= MAX_BODIES_PER_ADDRESS) refuseOldest(sender)
    const body = { sender, bytes: 0, refuse }
    sender.bodies.add(body)
    this.#senders.set(address, sender)
    return body
  }

  #remove(body: Arriving): void {
    const { sender, bytes } = body
    if (!sender.bodies.delete(body)) return
    sender.bytes -= bytes
    this.#bytes -= bytes
    if (sender.bodies.size === 0) this.#senders.delete(sender.address)
  }

  /** False if this body was refused. */
  #grow(body: Arriving, bytes: number): boolean {
    const { sender } = body
    while (sender.bytes + bytes > MAX_BYTES / 2 && sender.bodies.has(body)) refuseOldest(sender)
    while (this.#bytes + bytes > MAX_BYTES && sender.bodies.has(body)) refuseOldest(this.#largest())
    if (!sender.bodies.has(body)) return false
    body.bytes += bytes
    sender.bytes += bytes
    this.#bytes += bytes
    return true
  }

  #largest(): Sender {
    return [...this.#senders.values()].reduce((largest, each) => (each.bytes > largest.bytes ? each : largest))
  }
}

function refuseOldest({ bodies }: Sender): void {
  const [oldest] = bodies
  oldest?.refuse()
}

function tooManyBodies(): ApiError {
  return new ApiError('rate_limited', 'Too many request bodies are arriving; send fewer at once', {
    // The rest of the body would be parsed as the next request.
    headers: { 'retry-after': '1', connection: 'close' },
  })
}

const DISCONNECTED = 'The client disconnected before its body had arrived'

/** The client closed the connection; no response can be sent. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}
