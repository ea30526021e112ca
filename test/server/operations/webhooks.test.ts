import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Contract } from '../../support/conformance.ts'
import { eventTypes } from '../../support/contract.ts'

type Node = { readonly [key: string]: Node } & { readonly $ref?: string; readonly type?: string | readonly string[] }

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
const contract = new Contract(document)

function entry(type: string) {
  return document.webhooks[type].post
}

test('the document lists the 22 event types', () => {
  assert.equal(eventTypes.length, 22)
  assert.deepEqual(Object.keys(document.webhooks), eventTypes)
})

for (const type of eventTypes) {
  test(`${type}: the example matches its schema and has every field`, () => {
    const { schema, example } = entry(type).requestBody.content['application/json']
    const validator = contract.validator(schema)
    const isSound: boolean = validator.Check(example)
    assert.ok(isSound, JSON.stringify(validator.Errors(example)))
    assert.equal(example.type, type)
    expectSameFields(resolved(schema), example, type)
    assert.ok(!validator.Check({ ...example, type: 'monitor.exploded' }), 'another type is refused')
    assert.ok(!validator.Check({ ...example, data: {} }), 'an empty resource is refused')
  })

  test(`${type}: it has the three signature headers and no API key`, () => {
    const { parameters, security, responses, description, operationId } = entry(type)
    const names = parameters.map((parameter: Node) => resolved(parameter).name)
    assert.deepEqual(names, ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    assert.deepEqual(security, [])
    assert.deepEqual(Object.keys(responses), ['2XX'])
    assert.match(description, /^[A-Z].+\.$/)
    assert.match(operationId, /^on[A-Z]\w+$/)
  })
}

function resolved(node: Node): Node {
  if (node.$ref === undefined) return node
  return node.$ref
    .slice(2)
    .split('/')
    .reduce<Node>((at, step) => at[step] as Node, document)
}

/** Examples must show optional fields and no unknown ones. */
function expectSameFields(schema: Node, value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) expectSameFields(resolved(schema.items as Node), item, `${path}.${i}`)
    return
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return
  const properties = schema.properties as Record<string, Node>
  assert.deepEqual(Object.keys(value).sort(), Object.keys(properties).sort(), path)
  for (const [name, member] of Object.entries(value)) {
    expectSameFields(resolved(properties[name] as Node), member, `${path}.${name}`)
  }
}
