import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../../src/storage/query.ts'
import { withoutPostgres } from '../support/engines.ts'
import { startTestServer } from '../support/server.ts'

test('every foreign key has an index: deleting a row scans no table', { skip: withoutPostgres }, async () => {
  await using server = await startTestServer('postgres', { env: { PHAROS_ROLES: 'api' } })
  const { database } = server.running
  const keys = await database.read(
    execute(sql<{ name: string; has_index: boolean }>`
      select c.conrelid::regclass || ': ' || c.conname as name, exists (
        select 1 from pg_index i
        where i.indrelid = c.conrelid and i.indpred is null
          and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
      ) as has_index
      from pg_constraint c where c.contype = 'f'`),
  )
  assert.ok(keys.length > 5)
  const missing = keys.filter((key) => !key.has_index).map(({ name }) => name)
  assert.deepEqual(missing, [])
})
