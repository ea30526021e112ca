import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { execute } from '../../../src/storage/query.ts'
import { emptyTestDatabase } from '../test-database.ts'

const PAGES_AT_ONCE = 20
/** The writing connection makes checkpoints itself, within a commit, when the log has 16,000 pages. */
const LIMIT_BYTES = 64_000_000
/** Enough for a log that never starts over to reach the limit. */
const PAGES = Math.ceil((1.2 * LIMIT_BYTES) / 4_096)

test('the write-ahead log starts over while there are writes all the time', async () => {
  await using created = await emptyTestDatabase('sqlite')
  const { database, file } = created
  await database.write(() => execute(sql`create table pages (n integer primary key, bytes blob not null)`))
  let [written, largest] = [0, 0]
  while (written < PAGES) {
    const first = written
    await database.write(() =>
      execute(sql`
        with recursive n(i) as (select 0 union all select i + 1 from n where i < ${PAGES_AT_ONCE - 1})
        insert into pages (n, bytes) select ${first} + i, randomblob(4000) from n`),
    )
    written += PAGES_AT_ONCE
    largest = Math.max(largest, statSync(`${file}-wal`).size)
    await setTimeout(8)
  }
  assert.ok(largest < LIMIT_BYTES, `the log had ${largest} bytes`)
})
