import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { publicContract } from '../../support/conformance.ts'
import { makeOneOfEach, oneOfEachEnv } from '../../support/one-of-each.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly examples?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly oneOf?: readonly Schema[]
}

type Body = Readonly<Record<string, unknown>>

interface Described {
  readonly operationId: string
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { schema: Schema; example?: Body; examples?: Readonly<Record<string, { value: Body }>> }>
    >
  }
}

const { document } = publicContract

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : ((document.components.schemas as Record<string, Schema>)[name] as Schema)
}

/** Values at the bounds of a schema, and some that only another rule of the document refuses. */
function valuesOf(given: Schema): unknown[] {
  const schema = resolved(given)
  if (schema.enum !== undefined) return [...schema.enum]
  const ways: Readonly<Record<string, () => unknown[]>> = {
    null: () => [null],
    boolean: () => [true, false],
    integer: () => [schema.minimum ?? 0, schema.maximum ?? 1_000],
    string: () => [
      ...['x', 'a=', 'x'.repeat(schema.minLength ?? 0), 'x'.repeat(Math.min(schema.maxLength ?? 40, 3_000))],
      ...(schema.examples ?? []),
    ],
    array: () => [[], ...valuesOf(schema.items ?? {}).map((item) => [item]), ['x', 'x']],
    object: () => [{}, { x: 'x' }, { x: null }, ...objectsOf(schema)],
  }
  return [schema.type ?? []].flat().flatMap((type) => ways[type]?.() ?? [])
}

function objectsOf({ properties = {} }: Schema): Body[] {
  return Object.entries(properties).flatMap(([name, schema]) => valuesOf(schema).map((value) => ({ [name]: value })))
}

/** The body with each property left out, and with each value in its place; for small bodies also with two such changes. */
function* variations(body: Body, schema: Schema): Generator<Body> {
  yield body
  const variants = [schema, ...(schema.oneOf ?? [])].map(resolved)
  const properties = variants.find(({ properties }) => properties !== undefined)?.properties ?? {}
  const changes = Object.entries(properties).flatMap(([name, property]) => [
    { [name]: undefined },
    ...valuesOf(property).map((value) => ({ [name]: value })),
    ...nested(body[name], resolved(property)).map((value) => ({ [name]: value })),
  ])
  for (const [i, change] of changes.entries()) {
    yield { ...body, ...change }
    if (Object.keys(properties).length > 7) continue
    for (const other of changes.slice(i + 1)) yield { ...body, ...change, ...other }
  }
}

function nested(value: unknown, schema: Schema): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return nested(value[0], resolved(schema.items ?? {})).map((item) => [item])
  const names = Object.keys(value)
  const known = schema.properties ?? Object.fromEntries(names.map((name) => [name, {} as Schema]))
  return Object.entries(known).flatMap(([name, property]) => [
    { ...value, [name]: undefined },
    ...[...valuesOf(property), 'x', 'set', null, 'http://hooks.example/'].map((each) => ({ ...value, [name]: each })),
  ])
}

/** What no document can state: rules about stored data, the order of two times, the present, and lists that grow. */
const beyondDocuments = [
  /^is not an? \w+( \w+)? of this organization$/,
  /^is not a section of this page$/,
  /^must be after startsAt$|^is before the first occurrence; choose a later time$/,
  /^must be in the future$/,
  /^must be an IANA time zone/,
  /^must have a domain name that can be registered/,
  /^must not name a contact of attachContactIds$/,
  /^does not fit: CRON monitors have no /,
  /^must be the secret itself: no such secret is stored$/,
  /^is not valid at character \d+: |^must be (certificates in PEM form|a host name)$/,
  /^is not a monitor of the source$/,
  // The description says it.
  /^is (required with|only for) GATUS$/,
  /^must have five fields: minute, hour, day of month, month, day of week$/,
]

/** Rules about a change and the stored resource together: the type of the monitor, the channel of the contact. */
const aboutStored: Readonly<Record<string, RegExp>> = {
  updateMonitor: /^(url|host|port|keyword)$/,
  updateContact: /^(settings\..*|selector)$/,
  updateMaintenanceWindow: /^monitorIds$/,
  updateStatusPage: /^password$/,
  // By the tool: UptimeRobot needs a key, the others an address.
  createShadowRun: /^(url|key)$/,
}

function isDifference(id: string, details: readonly { path: string; message: string }[]): boolean {
  return !details.every(
    ({ path, message }) => beyondDocuments.some((rule) => rule.test(message)) || aboutStored[id]?.test(path) === true,
  )
}

/** The examples of an operation with the ids of the test. */
function examplesOf({ requestBody }: Described, ids: Readonly<Record<string, string>>): Body[] {
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {}
  const bodies = [...Object.values(examples).map(({ value }) => value), ...(example === undefined ? [] : [example])]
  const real: Readonly<Record<string, string | undefined>> = {
    mon: ids.monitorId,
    con: ids.contactId,
    page: ids.statusPageId,
    inc: ids.incidentId,
  }
  const text = JSON.stringify(bodies).replace(/"(mon|con|page|inc)_[0-9a-f]+"/g, (_, prefix) => `"${real[prefix]}"`)
  return JSON.parse(text)
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as unknown as Readonly<Record<string, Described>>).flatMap(([method, described]) =>
    // A test of settings has the body of a creation, and waits for the network.
    described.requestBody === undefined || described.operationId === 'tryMonitor'
      ? []
      : [{ method: method.toUpperCase(), path, described }],
  ),
)

describe('bodies', () => {
  const api = useApi('sqlite', { env: { ...oneOfEachEnv, PHAROS_RATE_LIMIT: '100000' } })

  test('that the document allows are not refused as invalid', async () => {
    const differences: string[] = []
    let sent = 0
    for (const { method, path, described } of operations) {
      const { operationId: id } = described
      const schema = resolved(described.requestBody?.content['application/json']?.schema ?? {})
      const validator = publicContract.validator(schema)
      const tenant = await api.tenant()
      const client = api.server.client(tenant.key)
      const ids = await makeOneOfEach(api.server, client, tenant.orgId, 'https://hooks.example/a')
      const bodies = examplesOf(described, ids).flatMap((body) => [...variations(body, schema)])
      const distinct = new Set(bodies.map((body) => JSON.stringify(body)))
      for (const text of distinct) {
        if (!validator.Check(JSON.parse(text))) continue
        const at = path.replace('/api/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'unknown')
        const { status, body } = await client.send(method, at, JSON.parse(text))
        sent += 1
        if (status === 400 && isDifference(id, body.error.details)) {
          differences.push(`${id} ${text.slice(0, 300)}: ${JSON.stringify(body.error.details)}`)
        }
      }
    }
    assert.deepEqual(differences, [])
    assert.ok(sent > 300, `${sent} bodies`)
  })
})
