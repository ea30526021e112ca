import assert from 'node:assert/strict'
import { test } from 'node:test'
import { display, displayDetails } from '../../../src/cli/api/display.ts'
import { bodyOptions, queryOptions } from '../../../src/cli/api/options.ts'
import { parseTime, parseValue } from '../../../src/cli/api/parse-value.ts'
import { optionName } from '../../../src/cli/api/schema.ts'

const now = Date.parse('2026-11-16T12:00:00Z')

test('options come from the fields of a schema, required ones first', () => {
  const schema = {
    type: 'object',
    required: ['kind'],
    properties: {
      retryCount: { type: 'integer', minimum: 1, maximum: 5, default: 3 },
      kind: { type: 'string', enum: ['A_B', 'C'], description: 'What it is. More text.' },
      note: { type: ['string', 'null'] },
      enabled: { type: 'boolean', default: true },
      monitorIds: { type: 'array', items: { type: 'string' } },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      sections: { type: 'array', items: { type: 'object' } },
      codes: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    },
  }
  const options = bodyOptions(schema, false)
  assert.deepEqual(Object.keys(options).slice(0, 2), ['kind', 'retry-count'])
  assert.deepEqual(options.kind, {
    value: 'KIND',
    choices: ['a-b', 'c'],
    requiredInBody: true,
    help: 'What it is: a-b, c',
  })
  assert.deepEqual(options['retry-count'], { value: 'COUNT', help: 'Retry count, 1 to 5 (default: 3)' })
  assert.deepEqual(options.note, { value: 'NOTE', help: 'Note' })
  assert.deepEqual(options.enabled, { negatable: true, help: 'Enabled (default: yes)' })
  assert.deepEqual([options['monitor-ids']?.repeats, options['monitor-ids']?.value], [true, 'IDS'])
  assert.deepEqual([options.headers?.repeats, options.headers?.value], [true, 'NAME:VALUE'])
  assert.deepEqual([options.sections?.repeats, options.sections?.value], [undefined, 'JSON'])
  assert.equal(options.body?.value, 'JSON')
  assert.deepEqual(bodyOptions({ type: 'object', properties: {} }, false), {})
  const updating = bodyOptions(schema, true)
  const negatable = Object.keys(updating).filter((name) => updating[name]?.negatable)
  assert.deepEqual(negatable, ['note', 'enabled', 'monitor-ids', 'sections'])
})

test('fields of variants are options too', () => {
  const branch = (name: string) => ({ properties: { [name]: { type: 'string' } } })
  assert.deepEqual(Object.keys(queryOptions({ anyOf: [branch('aB'), branch('c')] })), ['a-b', 'c'])
  const variant = (kind: string, field: string) => {
    return { required: ['kind', field], properties: { kind: { const: kind }, [field]: { type: 'string' } } }
  }
  const options = bodyOptions({ oneOf: [variant('URL', 'url'), variant('JOB', 'period')] }, false)
  assert.deepEqual(options.kind?.choices, ['url', 'job'])
  const required = Object.keys(options).filter((name) => options[name]?.requiredInBody)
  assert.deepEqual(required, ['kind'])
})

test('names of fields become words', () => {
  const help = (field: string, schema: object) => queryOptions({ properties: { [field]: schema } })[optionName(field)]
  assert.equal(help('intervalSeconds', { type: 'integer' })?.help, 'Interval in seconds')
  assert.equal(help('dnsRecordType', { type: 'string' })?.help, 'DNS record type')
  const time = { type: 'string', format: 'date-time', description: 'ISO 8601 with Z' }
  assert.deepEqual(help('startedAfter', time), { value: 'TIME', help: 'Started after' })
})

test('an object is given as pairs or as JSON, whose values keep their types', () => {
  const record = { type: 'object', additionalProperties: {} }
  assert.deepEqual(parseValue('settings', record, ['topic=ops', 'server: https://ntfy.sh'], now), {
    topic: 'ops',
    server: 'https://ntfy.sh',
  })
  assert.deepEqual(parseValue('settings', record, ['{"topic":"ops","priority":5}'], now), { topic: 'ops', priority: 5 })
})

test('lists of ids, numbers and enumerated values may be given in one option', () => {
  const numbers = { type: 'array', items: { type: 'integer' } }
  assert.deepEqual(parseValue('codes', numbers, ['1,2', '3'], now), [1, 2, 3])
  const texts = { type: 'array', items: { type: 'string' } }
  assert.deepEqual(parseValue('monitorIds', texts, ['a, b'], now), ['a', 'b'])
  assert.deepEqual(parseValue('notes', texts, ['a, b'], now), ['a, b'])
})

test('times are absolute, local or relative', () => {
  const read = (text: string) => parseTime('--at', text, now)
  assert.equal(read('now'), '2026-11-16T12:00:00.000Z')
  assert.equal(read('+90m'), '2026-11-16T13:30:00.000Z')
  assert.equal(read('-2d'), '2026-11-14T12:00:00.000Z')
  assert.equal(read('2027-01-31T14:00+02:00'), '2027-01-31T14:00+02:00')
  assert.equal(read('2027-01-31 14:00Z'), '2027-01-31T14:00Z')
  assert.equal(read('2027-01-31T14:00'), new Date(2027, 0, 31, 14).toISOString())
  assert.equal(read('2027-01-31'), new Date(2027, 0, 31).toISOString())
  for (const text of [
    '',
    'tomorrow',
    '+5',
    '2027-13-01',
    '2027-02-30',
    '2027-04-31T10:00',
    '2026-02-29T10:00Z',
    '14:00',
    '+1w',
  ]) {
    assert.throws(() => read(text), /must be a time/, text)
  }
})

test('values are shown in words', () => {
  assert.equal(display('IN_PROGRESS', { enum: ['IN_PROGRESS'] }), 'In progress')
  assert.equal(display('IN_PROGRESS'), 'IN_PROGRESS')
  assert.equal(display('SSL', { enum: ['SSL'] }), 'SSL')
  assert.equal(display(true), 'yes')
  assert.equal(display(null), '-')
  assert.equal(display([]), 'none')
  assert.equal(display('a\u001b[2Jb\nc'), 'ab c')
  const failure = { at: '2026-11-16T12:00:00Z', statusCode: null, responseMs: 5, error: 'Refused' }
  assert.equal(display(failure), 'At: 2026-11-16T12:00:00Z, Response: 5 ms, Error: Refused')
  assert.equal(display({ name: 'Shop', id: 'mon_1' }), 'Shop')
  assert.equal(display({ a: { b: 1 } }), 'A: (B: 1)')
  assert.equal(display('2026-11-16T12:00:00Z', { format: 'date-time' }).includes('T12'), false)
})

test('details have one line per field with a value, and a table per list', () => {
  const resource = { id: 'x', lastResponseMs: 5, note: null, tags: [], sections: [{ name: 'A', size: 1 }] }
  assert.equal(
    displayDetails(resource, {}),
    ['ID:             x', 'Last response:  5 ms', '', 'Sections:', '  NAME  SIZE', '  A     1'].join('\n'),
  )
})
