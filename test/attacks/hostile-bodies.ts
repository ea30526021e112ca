import assert from 'node:assert/strict'
import { invalid } from '../../src/contract/errors.ts'
import { parseJson } from '../../src/contract/json-body.ts'
import { DEFAULT_BODY_BYTES, type Installation, type Operation } from '../../src/contract/operation.ts'
import { Empty } from '../../src/contract/schema.ts'
import { validator } from '../../src/contract/validate.ts'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { envelope } from '../../src/server/api/respond.ts'
import { slowness, threadCpuMs } from '../support/cpu-time.ts'

/** Bodies by what is hostile about them. */
export type HostileBodies = Readonly<Record<string, string>>

export const limitOf = ({ bodyLimitBytes = DEFAULT_BODY_BYTES }: Operation): number => bodyLimitBytes

/** Parts joined by commas, as many as fit. */
function list(part: (i: number) => string, maxBytes: number, maxParts = Number.POSITIVE_INFINITY): string {
  const parts: string[] = []
  let bytes = 0
  for (let i = 0; i < maxParts; i += 1) {
    const next = part(i)
    bytes += next.length + 1
    if (bytes > maxBytes) break
    parts.push(next)
  }
  return parts.join(',')
}

const OVERHEAD_BYTES = 20

/** Bodies of the largest size that are hostile to the parser and to every schema. */
export function hostileToAll(maxBytes: number): HostileBodies {
  const room = maxBytes - OVERHEAD_BYTES
  return {
    'unknown fields': `{${list((i) => `"${i.toString(36)}":0`, room)}}`,
    '4,999 unknown fields': `{${list((i) => `"u${i}":0`, room, 4_999)}}`,
    '4,999 long unknown fields': `{${list((i) => `"${'u'.repeat(400)}${i}":0`, room, 4_999)}}`,
    'nested lists': '['.repeat(maxBytes / 2) + ']'.repeat(maxBytes / 2),
    'nested objects': `${'{"a":'.repeat(room / 6)}0${'}'.repeat(room / 6)}`,
    'small objects': `{"a":[${list((i) => `{"${i.toString(36)}":0}`, room)}]}`,
    '19,999 list items': `{"a":[${list(() => '"\\u0000"', room, 19_999)}]}`,
    'NUL below a long name': `{"${'n'.repeat(room / 2)}":[${list(() => '"\\u0000"', room / 2, 19_999)}]}`,
    escapes: `{"a":"${'\\u00e9'.repeat(room / 6)}"}`,
    'a long number': '9'.repeat(maxBytes),
    spaces: `[${' '.repeat(room)}]`,
  }
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

type FieldPath = readonly (string | number)[]

/** All fields of a body, and their types. */
function fieldsOf(schema: Schema, path: FieldPath = []): [path: FieldPath, types: readonly string[]][] {
  return [
    [path, [schema.type ?? []].flat()],
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => fieldsOf(field, [...path, name])),
    ...(schema.items === undefined ? [] : fieldsOf(schema.items, [...path, 0])),
  ]
}

function bodyWith(path: FieldPath, value: string): string {
  return path.reduceRight<string>(
    (inner, part) => (typeof part === 'number' ? `[${inner}]` : `{${KNOWN_FIELDS}${JSON.stringify(part)}:${inner}}`),
    value,
  )
}

/** So that rules beyond the schema are applied. */
const KNOWN_FIELDS = '"type":"HTTP","channel":"WEBHOOK","action":"LABEL","visibility":"PASSWORD",'

/** Bodies of the largest size with hostile values in the fields of the operation. */
export function hostileToFields(operation: Operation): HostileBodies {
  const bodies: Record<string, string> = {}
  for (const [path, types] of fieldsOf((operation.body ?? Empty) as Schema)) {
    const name = path.join('.') || 'body'
    const room = limitOf(operation) - bodyWith(path, '').length - OVERHEAD_BYTES
    const add = (kind: string, value: string): void => {
      bodies[`${name}: ${kind}`] = bodyWith(path, value)
    }
    if (types.includes('string')) {
      for (const text of ['a.', '@/:', '\\ud83d\\ude00']) add(`text of ${text}`, `"${text.repeat(room / text.length)}"`)
    }
    if (types.includes('array')) {
      add('the same text', `[${list(() => '"a"', room, 19_990)}]`)
      add('texts', `[${list((i) => `"${'x'.repeat(90)}${i}"`, room, 19_990)}]`)
      add('numbers', `[${list((i) => `${i}`, room, 19_990)}]`)
      add('objects', `[${list((i) => `{"monitorId":"${i}"}`, room, 4_980)}]`)
    }
    if (types.includes('object') && path.length > 0) {
      add('names', `{${list((i) => `"k${i}":"v"`, room, 4_980)}}`)
      add('long names', `{${list((i) => `"${'k'.repeat(400)}${i}":"v"`, room, 4_980)}}`)
      add('invalid names', `{${list((i) => `"k ${i}":"\\n"`, room, 4_980)}}`)
    }
  }
  return bodies
}

/** Of an installation, the rules of bodies use only this. */
const installation = { webhooks: { policy: parseAddressPolicy('deny') } } as Installation

/** No body may occupy the event loop of a quiet machine for longer. */
const MAX_CPU_MS = 50
/** Of an answer with 100 faults. */
const MAX_ANSWER_CHARS = 100_000
/** V8 optimizes in another thread, which gets its turn late on a busy machine. */
const MAX_RUNS = 20

/**
 * Judges a body as `api/input.ts` does, from its bytes to the text of the answer. Measures the CPU time of this thread, the least of
 * several runs: the time on the clock also counts other processes.
 */
export function requireQuickAnswer(operation: Operation, name: string, text: string): void {
  const { id, body, refine } = operation
  const validate = validator(body ?? Empty, 'body', refine && ((content) => refine(content, installation)))
  const bytes = Buffer.from(text)
  assert.ok(bytes.length <= limitOf(operation), `${id}: ${name} has ${bytes.length} bytes`)
  let cpuMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < MAX_RUNS && cpuMs > MAX_CPU_MS; run += 1) {
    const before = threadCpuMs()
    const received = parseJson(bytes)
    const verdict = 'value' in received ? validate(received.value) : received
    const answer = 'faults' in verdict ? envelope(invalid(verdict.faults), 'req') : ''
    const tookMs = threadCpuMs() - before
    cpuMs = Math.min(cpuMs, tookMs > MAX_CPU_MS ? tookMs / slowness() : tookMs)
    assert.ok(answer.length < MAX_ANSWER_CHARS, `${id}: ${name} has an answer of ${answer.length} characters`)
  }
  assert.ok(cpuMs <= MAX_CPU_MS, `${id}: ${name} took ${cpuMs} ms`)
}
