import { randomBytes } from 'node:crypto'
import type { ChangeNotice } from '../../storage/query.ts'

/** `hello`: the stream is live. `change`: one resource changed. `reset`: anything may have changed. */
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

/** Changes kept for clients that reconnect. */
const MAX_KEPT = 2_000
/** Streams per session. */
const PER_SESSION = 10
/** Streams per organization on this node: 20 sessions with all of theirs. 25 organizations would have to fill the node. */
const PER_ORGANIZATION = 200
/** Streams on this node. Each holds up to 64 KB that its client has not read. */
const MAX_STREAMS = 5_000

interface Kept extends ChangeNotice {
  readonly number: number
}

/**
 * The event streams of this node and the latest changes. Numbers are per node: a client that reconnects to another node, or too
 * late, gets a `reset`.
 */
export class Streams {
  /** Part of each event id: distinguishes this process from others. */
  readonly #epoch = randomBytes(4).toString('hex')
  readonly #streams = new Set<Stream>()
  #kept: Kept[] = []
  #number = 0

  get size(): number {
    return this.#streams.size
  }

  /** Why no further stream can be opened; undefined if one can. */
  refusal(orgId: string, sessionId: string): string | undefined {
    if (this.#streams.size >= MAX_STREAMS) return 'The server has too many windows open. Try again later'
    let [ofOrg, ofSession] = [0, 0]
    for (const stream of this.#streams) {
      if (stream.orgId === orgId) ofOrg += 1
      if (stream.sessionId === sessionId) ofSession += 1
    }
    if (ofSession >= PER_SESSION) return `Too many windows are open (limit ${PER_SESSION}). Close some first`
    if (ofOrg < PER_ORGANIZATION) return undefined
    return `Too many windows of this organization are open (limit ${PER_ORGANIZATION}). Close some first`
  }

  /** Adds a stream and sends it the changes since the event `lastId`. */
  add(stream: Stream, lastId: string | undefined): void {
    this.#streams.add(stream)
    // Gives the client an id to resume from, even if nothing changes for a long time.
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

  notify(notices: readonly ChangeNotice[]): void {
    const fresh: Kept[] = []
    const seen = new Set<string>()
    for (const notice of notices) {
      // One commit may report the same resource several times.
      const name = `${notice.orgId} ${notice.kind} ${notice.id}`
      if (seen.has(name)) continue
      seen.add(name)
      this.#number += 1
      fresh.push({ ...notice, number: this.#number })
    }
    this.#kept.push(...fresh)
    if (this.#kept.length > 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT)
    for (const stream of this.#streams) {
      for (const kept of fresh) if (kept.orgId === stream.orgId) stream.send(this.#change(kept))
    }
  }

  /** Tells all streams that changes may have been missed. */
  reset(): void {
    this.forget()
    for (const stream of this.#streams) stream.send(this.#message('reset'))
  }

  /** Drops kept changes after a time without streams, when no changes were recorded. */
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
