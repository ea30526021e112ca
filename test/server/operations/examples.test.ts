import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiDocument } from '../../../src/server/operations/openapi/document.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { Contract } from '../../support/conformance.ts'

interface Media {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: object
  readonly example?: unknown
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } }
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>
}

// As JSON, without the undefined values that only the generator has.
const document = JSON.parse(JSON.stringify(openApiDocument(operations, 'https://pharos.example')))
const contract = new Contract(document)
const described = Object.values(document.paths as Record<string, Record<string, Described>>).flatMap(
  Object.values,
) as Described[]

function examplesIn({ example, examples = {} }: Media): unknown[] {
  const named = Object.values(examples).map(({ value, $ref }) =>
    $ref === undefined ? value : document.components.examples[$ref.split('/').at(-1) as string].value,
  )
  return example === undefined ? named : [example, ...named]
}

function resolved(parameter: Described['parameters'][number]): Parameter {
  return '$ref' in parameter ? document.components.parameters[parameter.$ref.split('/').at(-1) as string] : parameter
}

function expectValid(schema: object, value: unknown, what: string): void {
  const validator = contract.validator(schema)
  assert.ok(validator.Check(value), `${what}: ${JSON.stringify(validator.Errors(value))}`)
}

for (const { operationId, parameters, requestBody, responses } of described) {
  test(`${operationId}: has valid examples of its request and of every response`, () => {
    for (const parameter of parameters) {
      const { name, in: place, schema, example } = resolved(parameter)
      if (place === 'path') assert.ok(example !== undefined, `${name} has an example`)
      if (example !== undefined) expectValid(schema, example, `${name}`)
    }
    const media = requestBody?.content['application/json']
    if (media !== undefined) {
      assert.ok(examplesIn(media).length > 0, 'the request has an example')
      for (const example of examplesIn(media)) expectValid(media.schema, example, 'request')
    }
    for (const [status, response] of Object.entries(responses)) {
      const [answer] = Object.values(contract.response(response)?.content ?? {}) as [Media]
      assert.ok(examplesIn(answer).length > 0, `${status} has an example`)
      for (const example of examplesIn(answer)) expectValid(answer.schema, example, status)
    }
  })
}

function bodyOf(operationId: string): Media {
  const found = described.find((operation) => operation.operationId === operationId)
  return found?.requestBody?.content['application/json'] as Media
}

const invalid: readonly (readonly [operation: string, rule: string, body: object])[] = [
  ['createMonitor', 'HTTP needs a URL', { name: 'x', type: 'HTTP' }],
  ['createMonitor', 'HTTP needs an http address', { name: 'x', type: 'HTTP', url: 'ftp://a.example' }],
  ['createMonitor', 'KEYWORD needs a keyword', { name: 'x', type: 'KEYWORD', url: 'https://a.example' }],
  ['createMonitor', 'PING needs a host', { name: 'x', type: 'PING', url: 'https://a.example' }],
  ['createMonitor', 'PORT needs a port', { name: 'x', type: 'PORT', host: 'a.example' }],
  ['createMonitor', 'DNS needs a name', { name: 'x', type: 'DNS', url: null }],
  ['createMonitor', 'unknown fields are refused', { name: 'x', type: 'CRON', colour: 'red' }],
  [
    'createMonitor',
    'header names',
    { name: 'x', type: 'HTTP', url: 'https://a.example', requestHeaders: { 'a b': '' } },
  ],
  ['createStatusPage', 'slugs', { name: 'x', slug: 'Shop' }],
  ['createStatusPage', 'colours', { name: 'x', accentColor: 'red' }],
  ['createStatusPage', 'addresses', { name: 'x', logoUrl: 'javascript:alert(1)' }],
  ['createStatusPage', 'time zones', { name: 'x', timezone: '+02:00' }],
  ['createStatusPage', 'a password where one is needed', { name: 'x', visibility: 'PASSWORD' }],
  ['updateStatusPage', 'colours in updates', { accentColor: '#12345' }],
  ['createMaintenanceWindow', 'monitors', { name: 'x', startsAt: '2026-03-07T02:00Z', endsAt: '2026-03-07T03:00Z' }],
  [
    'createMaintenanceWindow',
    'times with an offset',
    { name: 'x', startsAt: '2026-03-07T02:00', endsAt: '2026-03-07T03:00Z', allMonitors: true },
  ],
  ['updateMaintenanceWindow', 'days without duplicates', { daysOfWeek: [1, 1] }],
  ['createPublishedIncident', 'pages without duplicates', { title: 'x', message: 'x', statusPageIds: ['a', 'a'] }],
  ['createWebhookEndpoint', 'webhook addresses', { url: 'hooks.example' }],
  ['updateWebhookEndpoint', 'event types without duplicates', { eventTypes: ['webhook.test', 'webhook.test'] }],
]

for (const [operation, rule, body] of invalid) {
  test(`the document requires ${rule} (${operation})`, () => {
    assert.ok(!contract.validator(bodyOf(operation).schema).Check(body), JSON.stringify(body))
  })
}

test('the document accepts what the server accepts: times without seconds, fields of other types, any case', () => {
  const { schema } = bodyOf('createMaintenanceWindow')
  const times = { startsAt: '2026-03-07T02:00Z', endsAt: '2026-03-07T03:00:00.123456789+01:00' }
  expectValid(schema, { name: 'x', ...times, allMonitors: true, timezone: 'America/Port-au-Prince' }, 'window')
  expectValid(bodyOf('createMonitor').schema, { name: 'x', type: 'CRON', url: null, keyword: 'a' }, 'monitor')
  expectValid(bodyOf('createMonitor').schema, { name: 'x', type: 'HTTP', url: 'HTTPS://A.example' }, 'monitor')
  expectValid(bodyOf('createStatusPage').schema, { name: 'x', visibility: 'PASSWORD', password: 'long enough' }, 'page')
})

test('every operation documents 405 with the methods of its path, HEAD among them', () => {
  for (const { operationId, responses } of described) {
    assert.match(contract.response(responses['405'])?.description ?? '', /Allowed here: [A-Z, ]+\./, operationId)
  }
  const { responses } = document.paths['/api/v1/monitors'].post
  assert.match(contract.response(responses['405'])?.description ?? '', /GET, HEAD, POST/)
})

test('error responses are described once, in the components', () => {
  for (const { operationId, responses } of described) {
    const repeated = Object.entries(responses).filter(([status, { $ref }]) => status >= '400' && $ref === undefined)
    assert.deepEqual(repeated, [], operationId)
  }
})

test('the document states the body limit, the time of a manual check, and where the reference is', () => {
  assert.match(document.info.description, /at most 64 KiB, or 2 MiB where the operation says so/)
  assert.equal(document.paths['/api/v1/monitors'].post.requestBody.description, 'At most 2 MiB')
  assert.equal(document.paths['/api/v1/contacts'].post.requestBody.description, 'At most 64 KiB')
  assert.match(document.paths['/api/v1/monitors/{monitorId}/check'].post.description, /`timeoutSeconds` and 15 seconds/)
  assert.equal(document.externalDocs.url, 'https://pharos.example/docs')
})
