import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'
import { extensionBodies, withoutAddresses } from './extension-bodies.ts'
import { pageBodies } from './page-bodies.ts'
import type { DescribedOperation, Schema } from './schema.ts'
import { brokenJson, type JsonText, junk, mostlyValidJson, validHeaders, validJson } from './values.ts'
import { windowBodies } from './window-bodies.ts'

/** One request made from the document, described so that it can be repeated. */
export interface Case {
  readonly operation: string
  /** A made-up id; undefined for that of an existing resource. */
  readonly madeUpId: string | undefined
  readonly query: readonly (readonly [string, string])[]
  readonly auth: 'key' | 'bearer' | 'none' | 'unknown' | 'both' | 'read-only'
  readonly idempotencyKey: string | undefined
  readonly contentType: string | undefined
  readonly body: string | undefined
  readonly chunked: boolean
  /** Whether the body is meant to be accepted. */
  readonly intent: 'sound' | 'unsound'
  /** With an idempotency key: repeated unchanged. */
  readonly again: boolean
}

export function caseOf(operations: readonly DescribedOperation[]): fc.Arbitrary<Case> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        operation: fc.constant(operation.id),
        madeUpId: madeUpIdOf(operation),
        query: queryOf(operation),
        auth: fc.oneof(
          { arbitrary: fc.constantFrom('key', 'bearer'), weight: 16 },
          { arbitrary: fc.constantFrom('none', 'unknown', 'both', 'read-only'), weight: 1 },
        ),
        idempotencyKey: idempotencyKey,
        contentType: contentType,
        content: contentOf(operation),
        chunked: fc.boolean(),
        again: fc.boolean(),
      } as const)
      .map(({ content, ...rest }): Case => ({ ...rest, ...content })),
  )
}

const oddIds = ['mon_', 'x', '..', '.', '%00', '%ff', '%zz', '%', '%2F', 'a%20b', '%ed%a0%80', 'a;b', '__proto__', '*']

function madeUpIdOf(operation: DescribedOperation): fc.Arbitrary<Case['madeUpId']> {
  const none = fc.constant(undefined)
  if (!operation.path.includes('{')) return none
  const odd = fc.oneof(
    fc.constantFrom(...oddIds, 'y'.repeat(3_000)),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }).map(encodeURIComponent),
    fc.uuid(),
  )
  return fc.oneof({ arbitrary: none, weight: 5 }, { arbitrary: odd, weight: 1 })
}

function queryOf(operation: DescribedOperation): fc.Arbitrary<Case['query']> {
  const declared = operation.parameters.filter((parameter) => parameter.in === 'query')
  const names = [...declared.map(({ name }) => name), 'unknown', '__proto__', 'limit[]', '']
  const word = fc.constantFrom('', ' ', '1', '0', '-1', '+1', '1.0', '1e1', '0x10', '１', 'NaN', 'true', '999999999999')
  const odd = fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%ff',
    '%ed%a0%80',
    '1%00',
    'a'.repeat(2_000),
    '[]',
    '99999999999999999',
  )
  const wild = fc.array(fc.tuple(fc.constantFrom(...names), fc.oneof(word, odd, fc.nat(100_100).map(String))), {
    maxLength: 3,
  })
  if (declared.length === 0) return fc.oneof({ arbitrary: fc.constant([]), weight: 3 }, { arbitrary: wild, weight: 1 })
  const fair = fc
    .subarray(declared)
    .chain((some) =>
      fc.tuple(
        ...some.map(({ name, schema }) => validJson(schema).map((text) => [name, `${JSON.parse(text)}`] as const)),
      ),
    )
  return fc.oneof(fair, wild)
}

const idempotencyKey = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 4 },
  { arbitrary: fc.uuid().map((text) => `fuzz:${text}`), weight: 3 },
  { arbitrary: fc.constantFrom('', ' ', 'a b', 'x'.repeat(200), 'x'.repeat(201), 'é', 'a,b', 'a/b', '"a"'), weight: 1 },
)

const contentType = fc.oneof(
  { arbitrary: fc.constant('application/json'), weight: 12 },
  {
    arbitrary: fc.constantFrom('application/json; charset=utf-8', 'APPLICATION/JSON;a=b', 'application/json ;'),
    weight: 2,
  },
  {
    arbitrary: fc.constantFrom(
      ...[undefined, '', ';;;', 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', '*/*'],
      ...['application', 'application/', '/json', 'multipart/form-data; boundary=x', 'application/json, text/plain'],
    ),
    weight: 1,
  },
)

type Content = Pick<Case, 'body' | 'intent'>

/** Whether an option is accepted depends on the type of the monitor, and on paths, patterns and certificates in it. */
const setsOption = /^setMonitor(?!Labels)/

function contentOf(operation: DescribedOperation): fc.Arbitrary<Content> {
  const none = fc.constantFrom<Content>({ body: undefined, intent: 'unsound' }, { body: '', intent: 'unsound' })
  const created = (body: fc.Arbitrary<string>, intent: Case['intent']) =>
    body.map((text): Content => ({ body: text, intent }))
  if (operation.body === undefined) {
    const nothing = fc.constantFrom<Content>({ body: undefined, intent: 'sound' }, { body: '{}', intent: 'sound' })
    return fc.oneof({ arbitrary: nothing, weight: 4 }, { arbitrary: created(junk, 'unsound'), weight: 1 })
  }
  const well = accepted[operation.id]?.(operation) ?? validJson(operation.body)
  const ill = mostlyValidJson(withoutAddresses(operation))
  const whole = withoutAddresses(operation) === operation.body ? well : validJson(withoutAddresses(operation))
  return fc.oneof(
    { arbitrary: created(well, setsOption.test(operation.id) ? 'unsound' : 'sound'), weight: 10 },
    { arbitrary: created(ill, 'unsound'), weight: 8 },
    { arbitrary: created(brokenJson(whole), 'unsound'), weight: 2 },
    { arbitrary: created(junk, 'unsound'), weight: 1 },
    { arbitrary: none, weight: 1 },
  )
}

const fixed = (value: unknown): fc.Arbitrary<JsonText> => fc.constant(JSON.stringify(value))
const address = fc.webPath().map((path) => JSON.stringify(`http://127.0.0.1:9${path.slice(0, 200)}`))
const host = fc.constantFrom('localhost', '127.0.0.1', '::1', 'h'.repeat(255)).map((text) => JSON.stringify(text))
const name = fc.constantFrom('localhost', 'localhost:443', 'https://localhost/').map((text) => JSON.stringify(text))
const word = fc.string({ minLength: 1, maxLength: 20 }).map((text) => JSON.stringify(text))

/** Valid required fields of each monitor type but DOMAIN, whose checks would ask public registries. */
const needs: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<JsonText>>>>> = {
  HTTP: { url: address },
  KEYWORD: { url: address, keyword: word },
  PING: { host },
  PORT: { host, port: fc.integer({ min: 1, max: 65_535 }).map(String) },
  CRON: {},
  DNS: { url: fixed('localhost') },
  SSL: { url: name },
}

/** Bodies that also follow the rules beyond the schema; operations without an entry have no such rules. */
export const accepted: Readonly<Record<string, (operation: DescribedOperation) => fc.Arbitrary<JsonText>>> = {
  createMonitor: ({ body = {} }) =>
    fc
      .constantFrom(...Object.keys(needs))
      .chain((type) => validJson(body, { ...needs[type], type: fixed(type), requestHeaders: validHeaders })),
  updateMonitor: ({ body: { properties = {}, ...body } = {} }) => {
    const { type: _type, url: _url, host: _host, port: _port, keyword: _keyword, ...free } = properties
    return validJson({ ...body, properties: free }, { requestHeaders: validHeaders })
  },
  createWebhookEndpoint: ({ body = {} }) => validJson(body, hookRules(body)),
  updateWebhookEndpoint: ({ body = {} }) => validJson(body, hookRules(body)),
  ...pageBodies,
  ...windowBodies,
  ...extensionBodies,
}

/** A public https URL, and event types without duplicates, or all. */
function hookRules({ properties = {} }: Schema): Readonly<Record<string, fc.Arbitrary<JsonText>>> {
  const names = (properties.eventTypes?.items?.enum ?? []).filter((type) => type !== '*')
  const some = fc.subarray([...names], { minLength: 1 }).map((list) => JSON.stringify(list))
  const url = fc.webPath().map((path) => JSON.stringify(`https://hooks.example${path.slice(0, 200)}`))
  return { url, eventTypes: fc.oneof(fixed(['*']), some) }
}
