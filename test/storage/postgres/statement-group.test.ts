import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { StatementGroup } from '../../../src/storage/postgres/statement-group.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'

interface Failed {
  readonly error: pg.DatabaseError
  readonly position: number
}

describe('a group of statements', { skip: withoutPostgres }, () => {
  let own: FreshDatabase
  let client: pg.Client
  let progress = 0

  before(async () => {
    own = await freshDatabase()
    client = new pg.Client({ connectionString: own.url, pipeline: true } as pg.ClientConfig)
    await client.connect()
    await client.query('create table words (word text primary key)')
  })
  after(async () => {
    await client.end()
    await own.drop()
  })

  function run(statements: readonly pg.QueryConfig[]): Promise<readonly pg.QueryResult[]> {
    return new Promise((resolve, reject) => {
      const group = new StatementGroup(statements, {
        onProgress: () => {
          progress += 1
        },
        resolve,
        reject: (error, position) => reject(Object.assign(new Error('failed'), { error, position })),
      })
      client.query(group as unknown as pg.Submittable)
    })
  }

  const insert = (word: string): pg.QueryConfig => ({
    name: 'i',
    text: 'insert into words values ($1)',
    values: [word],
  })
  const count = { name: 'c', text: 'select count(*)::int as n from words' }
  const wordsNow = async () => (await client.query('select count(*)::int as n from words')).rows[0].n

  test('returns the result of each in order', async () => {
    progress = 0
    const results = await run([
      insert('a'),
      insert('b'),
      count,
      { text: 'select $1::int as x, null as y', values: [7] },
    ])
    assert.deepEqual(
      results.map(({ command, rowCount, rows }) => ({ command, rowCount, rows })),
      [
        { command: 'INSERT', rowCount: 1, rows: [] },
        { command: 'INSERT', rowCount: 1, rows: [] },
        { command: 'SELECT', rowCount: 1, rows: [{ n: 2 }] },
        { command: 'SELECT', rowCount: 1, rows: [{ x: 7, y: null }] },
      ],
    )
    assert.equal(progress, 4)
  })

  test('is one transaction, and stops at the first error', async () => {
    const before = await wordsNow()
    const failed: Failed = await run([insert('new'), insert('a'), insert('later'), count]).then(
      () => assert.fail('the group did not fail'),
      (error) => error,
    )
    assert.equal(failed.position, 1)
    assert.equal(failed.error.code, '23505')
    assert.equal(await wordsNow(), before)
  })

  test('statements that were skipped, and those that failed, can be used afterwards', async () => {
    const wrong = { name: 'wrong', text: 'select 1 / $1::int as x', values: [0] }
    const skipped = { name: 'skipped', text: 'select 5 as five' }
    const late = { name: 'late', text: 'select 6 as six' }
    await assert.rejects(run([wrong, skipped, late]), { position: 0 })
    const results = await run([skipped, { ...wrong, values: [1] }, late])
    assert.deepEqual(
      results.map(({ rows }) => rows[0]),
      [{ five: 5 }, { x: 1 }, { six: 6 }],
    )
    // The same text without a group.
    assert.deepEqual((await client.query({ ...late })).rows, [{ six: 6 }])
  })

  test('a statement with a wrong text fails alone with its group', async () => {
    await assert.rejects(run([count, { name: 'typo', text: 'selec 1' }, insert('z')]), { position: 1 })
    assert.equal((await run([count]))[0]?.rows.length, 1)
  })

  test('groups and other queries that are sent at once keep their order', async () => {
    const answers = await Promise.all([
      run([{ text: 'select 1 as n' }, { text: 'select 2 as n' }]),
      client.query('select 3 as n'),
      run([{ text: 'select 4 as n' }]),
      client.query({ name: 'five', text: 'select $1::int as n', values: [5] }),
    ])
    const rows = answers.flat().map((result) => result.rows[0].n)
    assert.deepEqual(rows, [1, 2, 3, 4, 5])
  })

  test('a value that cannot be sent ends the connection', async () => {
    const broken = { toPostgres: () => assert.fail('no value') }
    const other = new pg.Client({ connectionString: own.url, pipeline: true } as pg.ClientConfig)
    other.on('error', () => undefined)
    await other.connect()
    const failed = new Promise((resolve, reject) => {
      const group = new StatementGroup([{ text: 'select $1::text', values: [broken] }], {
        onProgress: () => undefined,
        resolve,
        reject,
      })
      other.query(group as unknown as pg.Submittable)
    })
    await assert.rejects(failed)
    await assert.rejects(other.query('select 1'))
  })
})
