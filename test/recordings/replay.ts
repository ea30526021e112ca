import { readFileSync } from 'node:fs'
import type { Answer, Client } from '../support/server.ts'

interface RecordedRequest {
  readonly method: string
  /** Below /api/v1. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One request of the run and its answer, with placeholders for what differs from run to run. */
export interface Step {
  readonly operation: string
  /** The delivery that is marked as failed first, as if all attempts had been made. */
  readonly failedDelivery?: string
  readonly request: RecordedRequest
  readonly response: RecordedResponse
}

interface RecordedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** One step per line. */
export const recording = new URL('operations.jsonl', import.meta.url)

export function readSteps(): Step[] {
  const lines = readFileSync(recording, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Headers that are part of an answer; others differ with the rate limit. */
const recordedHeaders = ['content-type', 'idempotency-replayed', 'allow', 'x-pharos-check']

const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['', /\b[a-z]{2,4}_[0-9a-f]{32}\b/g],
  ['secret', /whsec_[A-Za-z0-9+/=]+/g],
  ['token', /(?<=\/heartbeat\/)[A-Za-z0-9_-]{16,}/g],
]
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Replaces what differs from run to run: `<mon 1>` is the first monitor that was seen. Fixed times of the requests stay. */
export class Placeholders {
  readonly #names = new Map<string, string>()
  readonly #values = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(known: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(known)) this.#add(`<${name}>`, value)
  }

  #add(name: string, value: string): void {
    this.#names.set(value, name)
    this.#values.set(name, value)
  }

  /** A recorded value with the values of this run. */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fill(item))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]))
    }
    if (value === '<port>') return Number(this.#values.get(value))
    return typeof value === 'string' ? this.fillText(value) : value
  }

  fillText(text: string): string {
    return text.replace(/<[a-z]+( \d+)?>/g, (name) => this.#values.get(name) ?? name)
  }

  /** An answer of this run with placeholders. */
  strip(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.strip(item))
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, isMeasured(key, item) ? '<ms>' : this.strip(item)]),
      )
    }
    if (typeof value === 'number') return String(value) === this.#values.get('<port>') ? '<port>' : value
    return typeof value === 'string' ? this.#stripText(value) : value
  }

  #stripText(text: string): string {
    // Times of requests are whole minutes.
    if (time.test(text)) return text.endsWith(':00.000Z') ? text : '<time>'
    let stripped = text
    for (const [kind, pattern] of patterns) {
      stripped = stripped.replace(pattern, (found) => this.#nameOf(found, kind || (found.split('_')[0] as string)))
    }
    for (const name of ['<base>', '<port>']) stripped = stripped.replaceAll(this.#values.get(name) ?? name, name)
    return stripped
  }

  #nameOf(found: string, kind: string): string {
    const known = this.#names.get(found)
    if (known !== undefined) return known
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    this.#add(`<${kind} ${count}>`, found)
    return `<${kind} ${count}>`
  }
}

function isMeasured(field: string, value: unknown): boolean {
  return typeof value === 'number' && /[rR]esponseMs$/.test(field)
}

/** Sends a recorded request and returns its answer in the recorded form. */
export async function replay(client: Client, { request }: Step, placeholders: Placeholders): Promise<RecordedResponse> {
  const { method, path, headers = {}, body } = request
  const answer = await client.send(method, placeholders.fillText(path), placeholders.fill(body), { ...headers })
  return { status: answer.status, headers: headersOf(answer), body: placeholders.strip(withoutTexts(answer.body)) }
}

/** Texts of errors may be reworded; their codes and the paths of faults may not. */
function withoutTexts(body: Answer['body']): unknown {
  if (body?.error === undefined) return body
  const { message, details, ...rest } = body.error
  const faults = details?.map(({ path }: { path: string }) => ({ path, message: '<text>' }))
  return { error: { ...rest, message: '<text>', ...(faults !== undefined && { details: faults }) } }
}

function headersOf({ headers }: Answer): Record<string, string> {
  return Object.fromEntries(
    recordedHeaders.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null),
  )
}
