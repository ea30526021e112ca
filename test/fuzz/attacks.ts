import fc from 'fast-check'
import { type ConnectionStep, request } from '../support/raw-http.ts'

/** What a misbehaving client does on one connection. */
export interface Attack {
  readonly kind: string
  readonly moves: readonly ConnectionStep[]
  /** Whether the bytes may be a request outside /api/v1. */
  readonly mayBeOutsideApi: boolean
  /** The least number of responses. */
  readonly atLeast: number
}

/** Sends text in one or several pieces, then ends the sending side. */
export function sending(
  kind: string,
  text: fc.Arbitrary<string>,
  { mayBeOutsideApi = false, atLeast = 1 } = {},
): fc.Arbitrary<Attack> {
  const cuts = fc.oneof(fc.constant<number[]>([]), fc.array(fc.nat(), { minLength: 1, maxLength: 3 }))
  return fc.tuple(text, cuts).map(([whole, at]) => ({
    kind,
    moves: [...pieces(whole, at), 'finish'],
    mayBeOutsideApi,
    // Leading empty lines are no request; after PRI (HTTP/2) Node may close without a response.
    atLeast: /^\r?\n*$|^PRI /.test(whole) ? 0 : atLeast,
  }))
}

function pieces(text: string, cuts: readonly number[]): ConnectionStep[] {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b)
  return at.slice(1).flatMap((end, i): ConnectionStep[] => [{ send: text.slice(at[i], end) }, { waitMs: 0 }])
}

const anyByte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
export const someBytes = (maxLength: number) => fc.string({ unit: anyByte, maxLength })

export const BODY = '{"name":"fuzz","type":"CRON"}'

export type Headers = Readonly<Record<string, string>>

/** Pipelined valid requests with something else at the end: each has its response, in order. */
export function pipelines(fair: readonly string[]): fc.Arbitrary<Attack> {
  const tail = fc.oneof(fc.constantFrom('', '\r\n', 'garbage\r\n\r\n', '\0', 'GET'), someBytes(20))
  return fc.array(fc.constantFrom(...fair), { minLength: 1, maxLength: 5 }).chain((list) =>
    sending(
      'pipeline',
      tail.map((end) => list.join('') + end),
      { atLeast: list.length, mayBeOutsideApi: true },
    ),
  )
}

export function expectations(headers: Headers): fc.Arbitrary<Attack> {
  const expect = fc.constantFrom('100-continue', '100-Continue', 'tea', '', '100-continue, tea', '200-ok')
  return sending(
    'expectation',
    fc
      .tuple(expect, fc.constantFrom('POST', 'GET', 'BREW'))
      .map(([value, method]) => request(method, '/api/v1/monitors', { ...headers, Expect: value }, BODY)),
  )
}

type Mutation = readonly [how: 'flip' | 'drop' | 'double' | 'insert' | 'swap', at: number, what: number]

const mutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.constantFrom<Mutation[0][]>('flip', 'drop', 'double', 'insert', 'swap'),
  fc.nat(),
  fc.nat(),
)

/** One of the texts with a few bytes changed. Every character is one byte. */
export function mutatedText(fair: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...fair), fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([whole, list]) => list.reduce(mutated, whole))
}

export function mutations(fair: readonly string[]): fc.Arbitrary<Attack> {
  return sending('mutation', mutatedText(fair), { mayBeOutsideApi: true })
}

function mutated(text: string, [how, at, what]: Mutation): string {
  if (text === '') return text
  const i = at % text.length
  const length = 1 + (what % 20)
  const piece = text.slice(i, i + length)
  switch (how) {
    case 'flip':
      return text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ (1 << (what % 8))) + text.slice(i + 1)
    case 'drop':
      return text.slice(0, i) + text.slice(i + length)
    case 'double':
      return text.slice(0, i) + piece + text.slice(i)
    case 'insert':
      return text.slice(0, i) + String.fromCharCode(what % 256) + text.slice(i)
    case 'swap':
      return text.slice(0, i) + [...piece].reverse().join('') + text.slice(i + length)
  }
}

export const noise: fc.Arbitrary<Attack> = sending(
  'noise',
  fc.oneof(
    someBytes(200),
    fc.constantFrom(
      '\r\n',
      '\0',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\0\xf5\x01\0\0\xf1\x03\x03',
      '{"a":1}',
    ),
    fc.constantFrom('SSH-2.0-OpenSSH_9.2\r\n', 'EHLO localhost\r\n', '*1\r\n$4\r\nPING\r\n', 'x'.repeat(100_000)),
  ),
  { mayBeOutsideApi: true },
)

/** Clients that disconnect at any byte, with a reset or without. */
export function disconnects(fair: readonly string[]): fc.Arbitrary<Attack> {
  const connect = 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n'
  return fc
    .tuple(
      fc.constantFrom(...fair, connect),
      fc.nat(),
      fc.constantFrom<ConnectionStep[]>('reset', 'finish'),
      fc.constantFrom(0, 1, 3),
    )
    .map(([text, at, leave, waitMs]) => ({
      kind: 'departure',
      moves: [{ send: text.slice(0, at % (text.length + 1)) }, { waitMs }, leave],
      mayBeOutsideApi: true,
      atLeast: 0,
    }))
}

const MIB = 1024 * 1024

export function largeBodies(headers: Headers): fc.Arbitrary<Attack> {
  const size = fc.constantFrom(MIB - 1, MIB, MIB + 1, 2 * MIB)
  const counted = size.map((n) => request('POST', '/api/v1/monitors', headers, 'x'.repeat(n)))
  const chunked = size.map((n) =>
    request(
      'POST',
      '/api/v1/monitors',
      { ...headers, 'Transfer-Encoding': 'chunked' },
      `${n.toString(16)}\r\n${'x'.repeat(n)}\r\n0\r\n\r\n`,
    ),
  )
  return sending('great body', fc.oneof(counted, chunked))
}
