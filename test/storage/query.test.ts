import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { first, q, type Statement, statement } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

interface Values {
  readonly name: string
  readonly at: number
}

type Build = (values: Values) => ReturnType<typeof settings>

const settings = (name: string) => q.selectFrom('settings').select('value').where('name', '=', name)

const computing: Readonly<Record<string, Build>> = {
  arithmetic: ({ at }) => settings(String(at - 1)),
  concatenation: ({ name }) => settings(`${name}%`),
  comparison: ({ at }) => settings(at > 0 ? 'a' : 'b'),
  String: ({ name }) => settings(String(name)),
  'JSON.stringify': (values) => settings(JSON.stringify([values.name])),
}

for (const [name, build] of Object.entries(computing)) {
  test(`computing with a placeholder throws: ${name}`, () => {
    assert.throws(() => (statement(build) as Statement<Values, unknown>).node, {
      name: 'TypeError',
      message: /^A statement placeholder has no value yet: compute with "(name|at)" in the caller$/,
    })
  })
}

forEachEngine('a statement', (engine) => {
  test('passes values on to every part of a query', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const echo = statement(({ text, one, limit }: { text: string; one: number; limit: number }) =>
      q
        .selectNoFrom([
          sql<string>`cast(${text} as text)`.as('text'),
          sql<number>`cast(${one} as bigint) + 1`.as('two'),
        ])
        .where(sql<boolean>`cast(${one} as bigint) in (1, ${one})`)
        .limit(limit),
    )
    const row = await fixture.database.read(first(echo, { text: 'é', one: 1, limit: 1 }))
    assert.deepEqual(row, { text: 'é', two: 2 })
  })
})
