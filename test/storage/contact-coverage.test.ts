import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrations } from '../../src/storage/migrate.ts'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

const contact = (id: string, coversAll: number) =>
  `insert into contacts (org_id, id, name, channel, settings, sealed, kinds, covers_all, enabled, hold_until,
    created_at, updated_at) values ('org', '${id}', 'Ops', 'NTFY', '{}', '', '*', ${coversAll}, 1, 0, 1, 1)`

forEachEngine('the migration to contact coverage', (engine) => {
  test('keeps what contacts cover', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    await migrate(
      database,
      1,
      migrations.filter(({ id }) => id < 28),
    )
    await database.write(function* () {
      yield* execute(sql.raw("insert into organizations values ('org', 'acme', 'Acme', 'FREE', 'active', 1)"))
      for (const row of [contact('con_1', 1), contact('con_2', 0)]) yield* execute(sql.raw(row))
    })
    await migrate(database, 2)
    assert.deepEqual(await database.read(execute(sql.raw('select id, covers, selector from contacts order by id'))), [
      { id: 'con_1', covers: 'ALL', selector: null },
      { id: 'con_2', covers: 'CHOSEN', selector: null },
    ])
  })
})
