import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operationExamples } from '../../../src/server/operations/examples/operations.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { useApi } from '../../support/api.ts'

/** The keywords of request bodies that validate. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

type Excluded = readonly [path: string, value: unknown]

const typesOf = ({ type = [] }: Schema): readonly string[] => [type].flat()

function validValue(schema: Schema): unknown {
  const [type] = typesOf(schema)
  if (schema.enum !== undefined) return schema.enum[0]
  if (type === 'object')
    return Object.fromEntries((schema.required ?? []).map((name) => [name, ownValue(schema, name)]))
  if (type === 'array') return new Array(schema.minItems ?? 0).fill(validValue(schema.items ?? {}))
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  return type === 'boolean' ? true : 'x'.repeat(schema.minLength ?? 1)
}

const ownValue = ({ properties = {} }: Schema, name: string): unknown => validValue(properties[name] ?? {})

const samples = [
  { of: ['null'], value: null },
  { of: ['string'], value: 'x' },
  { of: ['integer', 'number'], value: 5 },
]

/** Values that the schema excludes, each with the path of the fault. */
function excludedValues(schema: Schema, path: string): Excluded[] {
  const types = typesOf(schema)
  if (types.length === 0) return []
  const { minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems, pattern, format } = schema
  const values = [
    ...samples.filter(({ of }) => !of.some((type) => types.includes(type))).map(({ value }) => value),
    ...(schema.enum === undefined ? [] : ['x']),
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['\u0007']),
    ...(format === undefined ? [] : ['yesterday', '2026-01-01T00:00:00', '2026-13-01T00:00:00Z']),
    ...(types.includes('integer') ? [0.5] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(minItems > 0 ? [[]] : []),
    ...(maxItems === undefined || maxItems > 1_000
      ? []
      : [new Array(maxItems + 1).fill(validValue(schema.items ?? {}))]),
  ]
  const ofItems = excludedValues(schema.items ?? {}, `${path}.0`).map(([at, item]): Excluded => [at, [item]])
  return [...values.map((value): Excluded => [path, value]), ...ofItems, ...excludedObjects(schema, `${path}.`)]
}

function excludedObjects(schema: Schema, prefix: string, valid = validValue(schema) as object): Excluded[] {
  const { required = [], properties = {} } = schema
  return [
    ...required.map((name): Excluded => [`${prefix}${name}`, { ...valid, [name]: undefined }]),
    ...Object.entries(properties).flatMap(([name, property]) =>
      excludedValues(property, `${prefix}${name}`).map(([at, value]): Excluded => [at, { ...valid, [name]: value }]),
    ),
  ]
}

/** Nothing is read or written before the body is valid, so the resources need not exist. */
describe('the body of an operation', () => {
  const api = useApi('sqlite')

  test('is 400 with the path of the fault for each value that its schema excludes', async () => {
    const { client } = await api.tenant()
    const accepted: string[] = []
    let sent = 0
    for (const { id, method, path, body: schema } of operations) {
      const { body, bodies = { body } } = operationExamples[id] ?? {}
      const [example] = Object.values(bodies)
      if (schema === undefined || example === undefined) continue
      for (const [at, value] of excludedObjects(schema as Schema, '', example as object)) {
        const answer = await client.send(method, path.replace(/:\w+/g, 'x'), value as object)
        const paths = (answer.body.error?.details ?? []).map((fault: { path: string }) => fault.path)
        sent += 1
        if (!paths.includes(at)) accepted.push(`${id} ${at} ${JSON.stringify(value).slice(0, 100)}: ${paths}`)
      }
    }
    assert.deepEqual(accepted, [])
    assert.ok(sent > 500, `${sent} bodies`)
  })
})
