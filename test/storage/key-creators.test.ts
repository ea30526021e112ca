import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { keysOf } from '../../src/accounts/keys/queries.ts'
import { migrate, migrations } from '../../src/storage/migrate.ts'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

const older = migrations.filter(({ id }) => id < 16)

forEachEngine('the migration to key creators', (engine) => {
  test('keeps older keys, without a creator', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    await migrate(database, 1, older)
    await database.write(function* () {
      yield* execute(sql.raw("insert into organizations values ('org', 'acme', 'Acme', 'FREE', 'active', 1)"))
      yield* execute(
        sql.raw(`insert into api_keys (id, org_id, name, hash, hint, access, last_used_at, created_at)
          values ('key', 'org', 'CI', 'hash', 'abcd', 'full', 5, 1)`),
      )
    })
    await migrate(database, 2)
    const [key] = await database.read(keysOf('org', '', 10))
    assert.deepEqual(
      [key?.name, key?.last_used_at, key?.last_used_address, key?.created_by, key?.creator_role],
      ['CI', 5, null, null, null],
    )
  })
})
