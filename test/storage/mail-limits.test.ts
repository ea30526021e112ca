import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrations } from '../../src/storage/migrate.ts'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

const contact = (id: string, channel: string, settings: object) =>
  `insert into contacts (org_id, id, name, channel, settings, sealed, kinds, covers_all, enabled, hold_until,
    created_at, updated_at) values ('org', '${id}', 'Ops', '${channel}', '${JSON.stringify(settings)}', '', '*', 1, 1, 0, 1, 1)`

const session = (id: string, address: string, seenAt: number) =>
  `insert into sessions (id, user_id, hash, address, created_at, last_seen_at, expires_at)
    values ('${id}', 'usr', '${id}', '${address}', 1, ${seenAt}, 9)`

/** Rows of the schema before migration 14. */
const before = [
  "insert into organizations values ('org', 'acme', 'Acme', 'FREE', 'active', 1)",
  contact('con_1', 'EMAIL', { address: 'Ops@Example.com' }),
  contact('con_2', 'NTFY', { topic: 'ops' }),
  "insert into users (id, email, email_key, name, created_at, updated_at) values ('usr', 'a', 'a', 'Ada', 1, 1)",
  ...[session('ses_1', '10.0.0.1', 3), session('ses_2', '10.0.0.1', 5), session('ses_3', '10.0.0.2', 4)],
  "insert into subscriber_rate_windows values ('subject', 9, 3)",
]

forEachEngine('the migration to mail limits', (engine) => {
  test('counts existing contacts as confirmed, and keeps counters and the networks of sessions', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    await migrate(
      database,
      1,
      migrations.filter(({ id }) => id < 14),
    )
    await database.write(function* () {
      for (const row of before) yield* execute(sql.raw(row))
    })
    await migrate(database, 2)
    const rows = (text: string) => database.read(execute(sql.raw(text)))
    assert.deepEqual(await rows('select id, confirmed, address_key, confirmation_sent_at from contacts order by id'), [
      { id: 'con_1', confirmed: 1, address_key: 'ops@example.com', confirmation_sent_at: null },
      { id: 'con_2', confirmed: 1, address_key: null, confirmation_sent_at: null },
    ])
    assert.deepEqual(await rows('select user_id, address, last_at from sign_in_networks order by address'), [
      { user_id: 'usr', address: '10.0.0.1', last_at: 5 },
      { user_id: 'usr', address: '10.0.0.2', last_at: 4 },
    ])
    assert.deepEqual(await rows('select used from mail_windows'), [{ used: 3 }])
  })
})
