import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from './random.ts'

export interface Mutation {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** Below /api/v1. */
  readonly path: string
  readonly body?: object
  readonly idempotencyKey: string
}

export interface Answer {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
}

/** Answers that the client behaves as if it had never got. */
const THROWN_AWAY = 0.05
/** No request may take longer than this, restarts of the server included. */
const PATIENCE_MS = 90_000
/** A server that is there answers long before this. */
const STALL_MS = 60_000

/** What happened on the way, over all clients. */
export interface Tally {
  mutations: number
  attempts: number
  lostConnections: number
  thrownAway: number
  inProgress: number
  replayed: number
  /** Answers 500, which a client may try again: the server lost its database in the middle of a request. */
  failed: number
}

export const newTally = (): Tally => ({
  mutations: 0,
  attempts: 0,
  lostConnections: 0,
  thrownAway: 0,
  inProgress: 0,
  replayed: 0,
  failed: 0,
})

/** Sends mutations through crashes: again and again with the same key, until there is an answer. */
export class Client {
  readonly #ports: readonly number[]
  readonly #key: string
  readonly #random: Random
  readonly #tally: Tally
  readonly #abandoned: AbortSignal
  readonly #agent = new Agent({ keepAlive: true })

  /** `abandoned`: there is nothing left to wait for, because something else failed. */
  constructor(ports: readonly number[], key: string, random: Random, tally: Tally, abandoned: AbortSignal) {
    this.#abandoned = abandoned
    this.#ports = ports
    this.#key = key
    this.#random = random
    this.#tally = tally
  }

  close(): void {
    this.#agent.destroy()
  }

  /** The one answer of a mutation. An answer that was thrown away before must come back letter for letter. */
  async mutate(mutation: Mutation): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS
    let seen: Answer | undefined
    this.#tally.mutations += 1
    while (performance.now() < deadline) {
      this.#abandoned.throwIfAborted()
      const answer = await this.#attempt(mutation)
      if (answer === undefined) continue
      if (seen !== undefined) requireSame(mutation, seen, answer)
      if (!this.#random.chance(THROWN_AWAY)) return answer
      this.#tally.thrownAway += 1
      seen = answer
    }
    throw new Error(`${show(mutation)} had no answer for ${PATIENCE_MS} ms: its key is stuck`)
  }

  async get(path: string): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS
    while (performance.now() < deadline) {
      const answer = await this.#send('GET', path).catch(() => undefined)
      if (answer !== undefined && answer.status < 500) return answer
      await delay(50)
    }
    throw new Error(`GET ${path} had no answer for ${PATIENCE_MS} ms`)
  }

  /** Undefined where the mutation must be tried again: no answer, or somebody else is at it. */
  async #attempt(mutation: Mutation): Promise<Answer | undefined> {
    const { method, path, body, idempotencyKey } = mutation
    this.#tally.attempts += 1
    let answer: Answer
    try {
      answer = await this.#send(method, path, body, idempotencyKey)
    } catch (error) {
      if ((error as Error).message.startsWith('stalled'))
        throw new Error(`${show(mutation)} ${(error as Error).message}`)
      this.#tally.lostConnections += 1
      await delay(this.#random.between(1, 30))
      return undefined
    }
    if (answer.status === 409 && answer.text.includes('"idempotency_in_progress"')) {
      this.#tally.inProgress += 1
      await delay(this.#random.between(1, 20))
      return undefined
    }
    if (answer.status === 500) {
      this.#tally.failed += 1
      await delay(this.#random.between(1, 20))
      return undefined
    }
    if (answer.replayed) this.#tally.replayed += 1
    if (answer.status >= 300) throw new Error(`${show(mutation)} → ${answer.status} ${answer.text}`)
    return answer
  }

  async #send(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      'x-api-key': this.#key,
      ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const port = this.#random.pick(this.#ports)
    const asked = request(
      { agent: this.#agent, host: '127.0.0.1', port, method, path: `/api/v1${path}`, headers },
      resolve,
    )
    asked.on('error', reject)
    asked.setTimeout(STALL_MS, () => asked.destroy(new Error(`stalled for ${STALL_MS} ms on port ${port}`)))
    asked.end(sent)
    // Some answers are lost because the client itself hangs up, at whatever moment that is for the server.
    const hangUp = idempotencyKey !== undefined && this.#random.chance(THROWN_AWAY / 2)
    const timer = hangUp ? setTimeout(() => asked.destroy(), this.#random.between(0, 6)) : undefined
    try {
      const response = await promise
      const said = await text(response)
      if (!response.complete) throw new Error('the answer broke off')
      const replayed = response.headers['idempotency-replayed'] === 'true'
      return { status: response.statusCode ?? 0, text: said, replayed }
    } finally {
      clearTimeout(timer)
    }
  }
}

function requireSame(mutation: Mutation, seen: Answer, now: Answer): void {
  if (now.status === seen.status && now.text === seen.text && now.replayed) return
  throw new Error(
    `${show(mutation)} was answered twice, and not alike:\n${seen.status} ${seen.text}\n${now.status} ${now.text}` +
      `${now.replayed ? '' : ' (not as a replay)'}`,
  )
}

function show({ method, path, idempotencyKey }: Mutation): string {
  return `${method} ${path} (${idempotencyKey})`
}
