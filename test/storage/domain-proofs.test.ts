import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrations } from '../../src/storage/migrate.ts'
import { execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

const page = (id: string, seq: number) =>
  `insert into status_pages (org_id, id, seq, name, folded_name, slug, custom_domain, published, visibility, settings,
    sections, created_at, updated_at)
    values ('org', '${id}', ${seq}, 'Page', 'page', '${id}', '${id}.example', 1, 'PUBLIC', '', '[]', 1, 1)`

forEachEngine('the migration to domain proofs', (engine) => {
  test('gives every page a token of its own, and makes existing claims due without a proof', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    const older = migrations.filter(({ id }) => id < 15)
    await migrate(database, 1, older)
    await database.write(function* () {
      yield* execute(sql.raw("insert into organizations values ('org', 'acme', 'Acme', 'FREE', 'active', 1)"))
      for (const [seq, id] of ['one', 'two'].entries()) {
        yield* execute(sql.raw(page(id, seq)))
        yield* execute(sql.raw(`insert into status_page_domains values ('${id}.example', 'org', '${id}')`))
      }
    })
    await migrate(database, 2)
    const tokens = await database.read(execute(q.selectFrom('status_pages').select('domain_token')))
    for (const { domain_token: token } of tokens) assert.match(token, /^[0-9a-f]{32}$/)
    assert.equal(new Set(tokens.map(({ domain_token: token }) => token)).size, 2)
    const claims = await database.read(
      execute(
        q.selectFrom('status_page_domains').select(['page_id', 'verified_at', 'next_check_at']).orderBy('domain'),
      ),
    )
    assert.deepEqual(claims, [
      { page_id: 'one', verified_at: null, next_check_at: 0 },
      { page_id: 'two', verified_at: null, next_check_at: 0 },
    ])
  })
})
