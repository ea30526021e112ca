import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Type from 'typebox'
import { defaultsOf } from '../../src/contract/defaults.ts'
import { defaulted, nullable } from '../../src/contract/schema.ts'

const Item = Type.Object({ id: Type.String(), width: defaulted(Type.Integer(), 1) })
const Body = Type.Object({
  name: Type.String(),
  note: Type.Optional(Type.String()),
  target: defaulted(nullable(Type.String()), null),
  statuses: defaulted(Type.Array(Type.Integer()), [200, 204]),
  items: Type.Optional(nullable(Type.Array(Item))),
})

const fill = (value: unknown): unknown => defaultsOf(Body)?.(value)

describe('defaults of a schema', () => {
  test('follow what is given, and required members come first', () => {
    const filled = fill({ note: 'n', statuses: [500], name: 'a' })
    assert.equal(JSON.stringify(filled), '{"name":"a","note":"n","statuses":[500],"target":null}')
  })

  test('do not replace what is given, null and false included', () => {
    const Flags = Type.Object({
      on: defaulted(Type.Boolean(), true),
      max: defaulted(nullable(Type.Integer()), 5),
      text: defaulted(Type.String(), 'x'),
    })
    assert.deepEqual(defaultsOf(Flags)?.({ on: false, max: null, text: '' }), { on: false, max: null, text: '' })
  })

  test('are added to the items of lists', () => {
    assert.deepEqual(fill({ name: 'a', items: [{ id: '1' }, { id: '2', width: 3 }] }), {
      name: 'a',
      target: null,
      statuses: [200, 204],
      items: [
        { id: '1', width: 1 },
        { id: '2', width: 3 },
      ],
    })
  })

  test('leave an optional list out, or null', () => {
    assert.deepEqual(fill({ name: 'a' }), { name: 'a', target: null, statuses: [200, 204] })
    assert.deepEqual(fill({ name: 'a', items: null }), { name: 'a', target: null, statuses: [200, 204], items: null })
  })

  test('are not shared: changing one value changes no other', () => {
    const one = fill({ name: 'a' }) as { statuses: number[] }
    one.statuses.push(418)
    assert.deepEqual((fill({ name: 'b' }) as { statuses: number[] }).statuses, [200, 204])
  })

  test('do not change the value that they are added to', () => {
    const given = { name: 'a', items: [{ id: '1' }] }
    fill(given)
    assert.deepEqual(given, { name: 'a', items: [{ id: '1' }] })
  })

  test('are absent from a schema without any', () => {
    assert.equal(defaultsOf(Type.Object({ name: Type.String(), tags: Type.Array(Type.String()) })), undefined)
  })
})
