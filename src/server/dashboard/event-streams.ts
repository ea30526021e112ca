import { randomBytes } from 'node:crypto'
import type { ChangeNotice } from '../../storage/query.ts'

/** What a stream is told: from here on it is told everything, something changed, or everything may have. */
export interface Message {
  readonly id: string
  readonly event: 'hello' | 'change' | 'reset'
  readonly data: string
}

export interface Stream {
  readonly orgId: string
  readonly sessionId: string
  send(message: Message): void
  end(): void
}

/** What somebody who lost the connection for a moment can still be told. */
const MOST_KEPT = 2_000
/** Windows of one browser, and all of them on this node. */
export const PER_SESSION = 10
const MOST_STREAMS = 5_000

interface Kept extends ChangeNotice {
  readonly number: number
}

/**
 * Who is watching on this node, and what they were told lately. Each node counts for itself: whoever comes back to another
 * node, or too late, is told to look at everything anew.
 */
export class Streams {
  /** Tells the numbers of this process from those of others. */
  readonly #epoch = randomBytes(4).toString('hex')
  readonly #streams = new Set<Stream>()
  #kept: Kept[] = []
  #number = 0

  get size(): number {
    return this.#streams.size
  }

  hasRoomFor(sessionId: string): boolean {
    if (this.#streams.size >= MOST_STREAMS) return false
    let its = 0
    for (const stream of this.#streams) if (stream.sessionId === sessionId) its += 1
    return its < PER_SESSION
  }

  /** Adds a stream, and tells it first what it has missed since the message `lastId`. */
  add(stream: Stream, lastId: string | undefined): void {
    this.#streams.add(stream)
    // Also where nothing happens for long, whoever comes back can say where it was.
    if (lastId === undefined) {
      stream.send(this.#message('hello'))
      return
    }
    const missed = this.#since(lastId)
    if (missed === undefined) stream.send(this.#message('reset'))
    else for (const kept of missed) if (kept.orgId === stream.orgId) stream.send(this.#change(kept))
  }

  remove(stream: Stream): void {
    this.#streams.delete(stream)
  }

  tell(told: readonly ChangeNotice[]): void {
    const fresh: Kept[] = []
    const seen = new Set<string>()
    for (const one of told) {
      // One commit may change the same thing in several ways.
      const name = `${one.orgId} ${one.kind} ${one.id}`
      if (seen.has(name)) continue
      seen.add(name)
      this.#number += 1
      fresh.push({ ...one, number: this.#number })
    }
    this.#kept.push(...fresh)
    if (this.#kept.length > 2 * MOST_KEPT) this.#kept = this.#kept.slice(-MOST_KEPT)
    for (const stream of this.#streams) {
      for (const kept of fresh) if (kept.orgId === stream.orgId) stream.send(this.#change(kept))
    }
  }

  /** Something may have been missed by everybody. */
  reset(): void {
    this.#kept = []
    this.#number += 1
    for (const stream of this.#streams) stream.send(this.#message('reset'))
  }

  /** Nobody was watching for a while, so nothing was kept of it. */
  forget(): void {
    this.#kept = []
    this.#number += 1
  }

  close(): void {
    for (const stream of [...this.#streams]) stream.end()
  }

  #since(lastId: string): readonly Kept[] | undefined {
    const [epoch, text] = lastId.split('-')
    const number = /^\d{1,15}$/.test(text ?? '') ? Number(text) : Number.NaN
    if (epoch !== this.#epoch || !(number <= this.#number)) return undefined
    if (number === this.#number) return []
    const oldest = this.#kept[0]?.number
    return oldest !== undefined && oldest <= number + 1 ? this.#kept.filter((kept) => kept.number > number) : undefined
  }

  #change({ number, kind, id }: Kept): Message {
    return { id: `${this.#epoch}-${number}`, event: 'change', data: JSON.stringify({ kind, id }) }
  }

  #message(event: 'hello' | 'reset'): Message {
    return { id: `${this.#epoch}-${this.#number}`, event, data: '{}' }
  }
}
