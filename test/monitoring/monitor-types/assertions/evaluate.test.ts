import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Assertion } from '../../../../src/contract/check-options.ts'
import { evaluateAssertions, type Observation } from '../../../../src/monitoring/monitor-types/assertions/evaluate.ts'
import { inEnglish } from '../../../support/reasons.ts'

const json = {
  status: 'ok',
  db: { status: 'degraded', lag: 12.5, replicas: ['a', 'b'] },
  services: [{ state: 'up' }, { state: 'down' }, { state: 'up' }],
  nothing: null,
  ready: true,
  build: '42',
}

const observed: Observation = {
  status: 201,
  headers: { 'content-type': 'application/json', 'x-version': '17' },
  body: { text: JSON.stringify(json), isCut: false },
  responseMs: 120,
  certificateDays: 20,
  records: ['192.0.2.1', '192.0.2.2'],
}

type Row = readonly [Assertion['source'], string | null, Assertion['operator'], Assertion['value'], true | string]

/** Each source with each operator that fits it: what holds, and the text of what does not. */
const table: readonly Row[] = [
  ['STATUS', null, 'EQUALS', 201, true],
  ['STATUS', null, 'EQUALS', 204, 'Status code is 201, expected 204'],
  ['STATUS', null, 'NOT_EQUALS', 204, true],
  ['STATUS', null, 'NOT_EQUALS', 201, 'Status code is 201, expected something else'],
  ['STATUS', null, 'GREATER', 200, true],
  ['STATUS', null, 'GREATER', 201, 'Status code is 201, expected more than 201'],
  ['STATUS', null, 'LESS', 300, true],
  ['STATUS', null, 'LESS', 201, 'Status code is 201, expected less than 201'],
  ['HEADER', 'Content-Type', 'EQUALS', 'application/json', true],
  ['HEADER', 'content-type', 'EQUALS', 'text/html', 'Header content-type is "application/json", expected "text/html"'],
  ['HEADER', 'x-version', 'EQUALS', 17, true],
  ['HEADER', 'x-none', 'EQUALS', 'a', 'Header x-none does not exist, expected "a"'],
  ['HEADER', 'x-none', 'NOT_EQUALS', 'a', true],
  ['HEADER', 'x-version', 'NOT_EQUALS', '17', 'Header x-version is "17", expected something else'],
  ['HEADER', 'content-type', 'CONTAINS', 'json', true],
  [
    'HEADER',
    'content-type',
    'CONTAINS',
    'xml',
    'Header content-type is "application/json", expected it to contain "xml"',
  ],
  ['HEADER', 'content-type', 'NOT_CONTAINS', 'xml', true],
  ['HEADER', 'x-version', 'NOT_CONTAINS', '7', 'Header x-version is "17", expected it not to contain "7"'],
  ['HEADER', 'content-type', 'MATCHES', '^application/', true],
  ['HEADER', 'x-version', 'MATCHES', '^\\d$', 'Header x-version is "17", expected it to match ^\\d$'],
  ['HEADER', 'x-version', 'GREATER', 16, true],
  ['HEADER', 'content-type', 'GREATER', 1, 'Header content-type is "application/json", expected more than 1'],
  ['HEADER', 'x-version', 'LESS', 18, true],
  ['HEADER', 'x-version', 'LESS', 17, 'Header x-version is "17", expected less than 17'],
  ['HEADER', 'x-version', 'EXISTS', undefined, true],
  ['HEADER', 'x-none', 'EXISTS', undefined, 'Header x-none does not exist'],
  ['HEADER', 'x-none', 'NOT_EXISTS', undefined, true],
  ['HEADER', 'x-version', 'NOT_EXISTS', undefined, 'Header x-version is "17", expected it not to exist'],
  ['JSON', '$.status', 'EQUALS', 'ok', true],
  ['JSON', '$.db.status', 'EQUALS', 'ok', '$.db.status is "degraded", expected "ok"'],
  ['JSON', '$.ready', 'EQUALS', true, true],
  ['JSON', '$.nothing', 'EQUALS', null, true],
  ['JSON', '$.build', 'EQUALS', 42, '$.build is "42", expected 42'],
  ['JSON', '$.missing', 'EQUALS', 'ok', '$.missing does not exist, expected "ok"'],
  ['JSON', '$.db', 'EQUALS', 'ok', '$.db is an object, expected "ok"'],
  ['JSON', '$.services[*].state', 'EQUALS', 'up', '$.services[*].state is "down" in 1 of 3 places, expected "up"'],
  ['JSON', "$.services[?@.state == 'up'].state", 'EQUALS', 'up', true],
  ['JSON', '$.status', 'NOT_EQUALS', 'down', true],
  ['JSON', '$.missing', 'NOT_EQUALS', 'down', true],
  [
    'JSON',
    '$.services[*].state',
    'NOT_EQUALS',
    'down',
    '$.services[*].state is "down" in 1 of 3 places, expected something else',
  ],
  ['JSON', '$.db.replicas', 'CONTAINS', 'a', true],
  ['JSON', '$.db.replicas', 'CONTAINS', 'c', '$.db.replicas is a list of 2, expected it to contain "c"'],
  ['JSON', '$.db.status', 'CONTAINS', 'grad', true],
  ['JSON', '$.db.replicas', 'NOT_CONTAINS', 'c', true],
  ['JSON', '$.db.status', 'NOT_CONTAINS', 'grad', '$.db.status is "degraded", expected it not to contain "grad"'],
  ['JSON', '$.db.lag', 'MATCHES', '^12\\.', true],
  ['JSON', '$.db', 'MATCHES', '.', '$.db is an object, expected it to match .'],
  ['JSON', '$.db.lag', 'GREATER', 12, true],
  ['JSON', '$.build', 'GREATER', 42, '$.build is "42", expected more than 42'],
  ['JSON', '$.nothing', 'LESS', 1, '$.nothing is null, expected less than 1'],
  ['JSON', '$.db.lag', 'LESS', 12.6, true],
  ['JSON', '$.nothing', 'EXISTS', undefined, true],
  ['JSON', '$.services[?@.state == "gone"]', 'EXISTS', undefined, '$.services[?@.state == "gone"] does not exist'],
  ['JSON', '$.error', 'NOT_EXISTS', undefined, true],
  ['JSON', '$.ready', 'NOT_EXISTS', undefined, '$.ready is true, expected it not to exist'],
  ['BODY', null, 'CONTAINS', '"ready":true', true],
  ['BODY', null, 'NOT_CONTAINS', 'fatal', true],
  ['BODY', null, 'MATCHES', '(?i)"STATUS":"ok"', true],
  ['BODY', null, 'EQUALS', JSON.stringify(json), true],
  ['BODY', null, 'EXISTS', undefined, true],
  ['RESPONSE_MS', null, 'LESS', 200, true],
  ['RESPONSE_MS', null, 'LESS', 100, 'Response time is 120 ms, expected less than 100 ms'],
  ['RESPONSE_MS', null, 'GREATER', 100, true],
  ['CERTIFICATE_DAYS', null, 'GREATER', 14, true],
  ['CERTIFICATE_DAYS', null, 'GREATER', 30, 'Certificate lifetime is 20 days, expected more than 30 days'],
  ['RECORD', null, 'EQUALS', '192.0.2.2', true],
  ['RECORD', null, 'EQUALS', '192.0.2.9', 'Record is "192.0.2.1", "192.0.2.2", expected "192.0.2.9"'],
  ['RECORD', null, 'NOT_EQUALS', '192.0.2.9', true],
  ['RECORD', null, 'NOT_EQUALS', '192.0.2.2', 'Record is "192.0.2.2", expected something else'],
  ['RECORD', null, 'CONTAINS', '2.1', true],
  ['RECORD', null, 'NOT_CONTAINS', '198.51', true],
  ['RECORD', null, 'MATCHES', '^192\\.0\\.2\\.', true],
  ['RECORD', null, 'MATCHES', '^10\\.', 'Record is "192.0.2.1", "192.0.2.2", expected it to match ^10\\.'],
]

test('every source with the operators that fit it', async () => {
  const assertions = table.map(
    ([source, path, operator, value]): Assertion => ({
      source,
      ...(path !== null && { path }),
      operator,
      ...(value !== undefined && { value }),
      severity: 'DOWN',
    }),
  )
  const results = await evaluateAssertions({ assertions }, observed)
  assert.deepEqual(
    inEnglish(results).map(({ holds, error }) => error ?? holds),
    table.map((row) => row[4]),
  )
})

async function one(assertion: Omit<Assertion, 'severity'>, parts: Partial<Observation>) {
  const [result] = await evaluateAssertions(
    { assertions: [{ ...assertion, severity: 'DOWN' }] },
    { responseMs: 1, ...parts },
  )
  return inEnglish(result)
}

const body = (text: string, isCut = false) => ({ body: { text, isCut } })

test('what was found is given even if the assertion holds', async () => {
  const list = { source: 'JSON', path: '$[*]', operator: 'LESS', value: 9 } as const
  assert.deepEqual(await one(list, body('[1,2,3,4,5]')), { holds: true, found: '1, 2, 3 and 2 more' })
  assert.deepEqual(await one({ source: 'JSON', path: '$.a', operator: 'NOT_EXISTS' }, body('{}')), {
    holds: true,
    found: null,
  })
})

test('a body without the expected content is a failure that says why', async () => {
  const assertion = { source: 'JSON', path: '$.a', operator: 'NOT_EXISTS' } as const
  assert.equal((await one(assertion, body('<html>')))?.error, '$.a cannot be read: the body is not valid JSON')
  assert.equal((await one(assertion, body('')))?.error, '$.a cannot be read: the body is empty')
  assert.equal(
    (await one(assertion, body('{"a":1}', true)))?.error,
    '$.a cannot be read: the body is larger than 1 MiB',
  )
  assert.equal((await one({ source: 'BODY', operator: 'EXISTS' }, body('')))?.error, 'Body is empty')
  assert.equal(
    (await one({ source: 'CERTIFICATE_DAYS', operator: 'GREATER', value: 3 }, {}))?.error,
    'Certificate lifetime does not exist, expected more than 3 days',
  )
})

test('the text of a failure is short, on one line and well-formed, whatever the target sends', async () => {
  const hostile = `\u0000\u0007\u009b31m\n\ud800 ${'x'.repeat(10_000)}`
  const path = `$['${'k'.repeat(400)}']`
  const results = [
    await one({ source: 'BODY', operator: 'EQUALS', value: hostile.slice(0, 1_000) }, body(hostile)),
    await one(
      { source: 'JSON', path, operator: 'EQUALS', value: 'y' },
      body(JSON.stringify({ ['k'.repeat(400)]: hostile })),
    ),
    await one({ source: 'BODY', operator: 'MATCHES', value: '\n'.repeat(300) }, body(hostile)),
  ]
  for (const { error = '' } of results.map((result) => result ?? { error: '' })) {
    assert.ok(error.length > 0 && error.length <= 500, `${error.length}`)
    assert.ok(error.isWellFormed())
    assert.doesNotMatch(error, /\p{Cc}/u)
  }
})
