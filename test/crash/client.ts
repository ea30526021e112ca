import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Dice } from '../support/dice.ts'

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

/** The share of responses that the client discards, as if they were lost. */
const DISCARDED_SHARE = 0.05
/** No mutation takes longer than this, restarts of the server included. */
const MUTATION_LIMIT_MS = 90_000
/** A running server responds long before this. */
const RESPONSE_LIMIT_MS = 60_000

/** Totals over all clients. */
export const newRequestCounts = () => ({
  mutations: 0,
  /** Successful responses. */
  answered: 0,
  attempts: 0,
  lostConnections: 0,
  discarded: 0,
  inProgress: 0,
  replayed: 0,
  /** Responses 500, after which the client tries again: the server lost its database during the request. */
  failed: 0,
})

export type RequestCounts = ReturnType<typeof newRequestCounts>

/** Repeats each mutation with the same key until there is a response, across crashes of the server. */
export class Client {
  readonly #ports: readonly number[]
  readonly #key: string
  readonly #random: Dice
  readonly #counts: RequestCounts
  readonly #abandoned: AbortSignal
  readonly #agent = new Agent({ keepAlive: true })

  /** `abandoned` is aborted when another part of the run has failed. */
  constructor(ports: readonly number[], key: string, random: Dice, counts: RequestCounts, abandoned: AbortSignal) {
    this.#abandoned = abandoned
    this.#ports = ports
    this.#key = key
    this.#random = random
    this.#counts = counts
  }

  close(): void {
    this.#agent.destroy()
  }

  /** The response to a mutation. After a discarded response the same one must come again. */
  async mutate(mutation: Mutation): Promise<Answer> {
    const deadline = performance.now() + MUTATION_LIMIT_MS
    let seen: Answer | undefined
    this.#counts.mutations += 1
    while (performance.now() < deadline) {
      this.#abandoned.throwIfAborted()
      const answer = await this.#attempt(mutation)
      if (answer === undefined) continue
      if (seen !== undefined) requireSame(mutation, seen, answer)
      if (!this.#random.chance(DISCARDED_SHARE)) return answer
      this.#counts.discarded += 1
      seen = answer
    }
    throw new Error(`${show(mutation)} had no response for ${MUTATION_LIMIT_MS} ms: its key is stuck`)
  }

  async get(path: string): Promise<Answer> {
    const deadline = performance.now() + MUTATION_LIMIT_MS
    while (performance.now() < deadline) {
      const answer = await this.#send('GET', path).catch(() => undefined)
      if (answer !== undefined && answer.status < 500) return answer
      await delay(50)
    }
    throw new Error(`GET ${path} had no response for ${MUTATION_LIMIT_MS} ms`)
  }

  /** Undefined if the mutation must be tried again: no response, or another request with its key is running. */
  async #attempt(mutation: Mutation): Promise<Answer | undefined> {
    const { method, path, body, idempotencyKey } = mutation
    this.#counts.attempts += 1
    let answer: Answer
    try {
      answer = await this.#send(method, path, body, idempotencyKey)
    } catch (error) {
      if ((error as Error).message.startsWith('stalled'))
        throw new Error(`${show(mutation)} ${(error as Error).message}`)
      this.#counts.lostConnections += 1
      // A port that is closed stays closed for the second that a start takes; what was cut off is repeated at once.
      await delay(isRefused(error) ? this.#random.between(100, 300) : this.#random.between(1, 30))
      return undefined
    }
    if (answer.status === 409 && answer.text.includes('"idempotency_in_progress"')) {
      this.#counts.inProgress += 1
      await delay(this.#random.between(1, 20))
      return undefined
    }
    if (answer.status === 500) {
      this.#counts.failed += 1
      await delay(this.#random.between(1, 20))
      return undefined
    }
    this.#counts.answered += 1
    if (answer.replayed) this.#counts.replayed += 1
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
    asked.setTimeout(RESPONSE_LIMIT_MS, () =>
      asked.destroy(new Error(`stalled for ${RESPONSE_LIMIT_MS} ms on port ${port}`)),
    )
    asked.end(sent)
    // Sometimes the client disconnects, at a random moment of the server's work.
    const disconnects = idempotencyKey !== undefined && this.#random.chance(DISCARDED_SHARE / 2)
    const timer = disconnects ? setTimeout(() => asked.destroy(), this.#random.between(0, 6)) : undefined
    try {
      const response = await promise
      const body = await text(response)
      if (!response.complete) throw new Error('the response is incomplete')
      const replayed = response.headers['idempotency-replayed'] === 'true'
      return { status: response.statusCode ?? 0, text: body, replayed }
    } finally {
      clearTimeout(timer)
    }
  }
}

function isRefused(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
}

function requireSame(mutation: Mutation, seen: Answer, now: Answer): void {
  if (now.status === seen.status && now.text === seen.text && now.replayed) return
  throw new Error(
    `${show(mutation)} had two different responses:\n${seen.status} ${seen.text}\n${now.status} ${now.text}` +
      `${now.replayed ? '' : ' (not as a replay)'}`,
  )
}

function show({ method, path, idempotencyKey }: Mutation): string {
  return `${method} ${path} (${idempotencyKey})`
}
