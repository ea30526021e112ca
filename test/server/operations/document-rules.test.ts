import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicContract } from '../../support/conformance.ts'

type Node = Readonly<Record<string, unknown>>

/** Calls `visit` with every schema and object of the document and its place. Examples are data. */
function walk(node: unknown, place: string, visit: (node: Node, place: string) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) visit(node as Node, place)
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'example' && key !== 'examples') walk(value, `${place}/${key}`, visit)
  }
}

/** Names of something else: events, error codes, spans of time, languages, columns, locations. */
const names = /^(\*|[a-z_]+\.[a-z_]+|[a-z]+_[a-z_]+|unauthorized|forbidden|conflict|\d+[hd]|[a-z]{2}|true|home)$/
const listColumns = new Set(['state', 'name', 'type', 'uptime', 'response', 'checked', 'match', 'asc', 'desc'])

test('every operation, parameter and property has a description', () => {
  const bare: string[] = []
  walk(publicContract.document, '', (node, place) => {
    const { properties, type, operationId, in: isIn, description } = node
    if ((operationId !== undefined || typeof isIn === 'string') && description === undefined) bare.push(place)
    if (typeof properties !== 'object' || ![type].flat().includes('object')) return
    for (const [name, property] of Object.entries(properties as Record<string, Node>)) {
      if (!('$ref' in property) && typeof property.description !== 'string') bare.push(`${place}/${name}`)
    }
  })
  assert.deepEqual(bare, [])
})

test('enums are upper case', () => {
  walk(publicContract.document, '', ({ enum: values }, place) => {
    if (!Array.isArray(values)) return
    for (const value of values) {
      if (typeof value !== 'string' || names.test(value)) continue
      if (place.includes('/monitor-list/get/parameters/') && listColumns.has(value)) continue
      assert.match(value, /^[A-Z][A-Z0-9_]*$/, place)
    }
  })
})
