import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate, migrations } from '../../src/storage/migrate.ts'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { emptyTestDatabase } from './test-database.ts'

/** Rows of the schema before migration 12. */
const before = [
  "insert into organizations values ('org', 'acme', 'Acme', 'FREE', 'active', 1)",
  "insert into monitors values (7, 'org', 'mon', 0, 'Shop', 'HTTP', '\"settings\"', null, 1, 1)",
  `insert into monitor_states (num, org_id, state, revision, shown, recent)
    values (7, 'org', 'UP', 1, '"state"', 'results')`,
  "insert into roster_totals values ('org', 'monitor', 1, 5)",
  "insert into roster_blocks values ('org', 'monitor', 0, 1)",
  "insert into webhook_remains values ('org', 'we')",
  "insert into subscriber_remains values ('org', 'page')",
  "insert into subscriber_windows values ('subject', 9, 3)",
  `insert into contacts (org_id, id, name, channel, settings, sealed, kinds, covers_all, enabled, quiet_until,
    created_at, updated_at) values ('org', 'con', 'Ops', 'EMAIL', '{}', '', '*', 1, 1, 42, 1, 1)`,
  `insert into alerts (org_id, contact_id, change_key, kind, subject, at, trouble, attempts, notice)
    values ('org', 'con', 'change', 'opened', 'Shop', 1, 'problem', 0, 'message')`,
  "insert into alert_threads values ('org', 'con', 'message', 1)",
  "insert into maintenance_coverage values ('org', 'mw', 1, 2, '[7]', '{}')",
  "insert into maintenance_rechecks values ('org', 'mw', '[8]', -1)",
  `insert into status_pages (org_id, id, seq, name, folded_name, slug, published, visibility, settings, sections,
    created_at, updated_at) values ('org', 'page', 0, 'Page', 'page', 'page', 1, 'PUBLIC', '', '[]', 1, 1)`,
  `insert into published_incidents (org_id, id, seq, title, status, impact, affected, started_at, update_count,
    created_at, updated_at) values ('org', 'sinc', 0, 'Outage', 'RESOLVED', 'NONE', '[]', 1, 0, 1, 1)`,
  "insert into published_incident_pages values ('org', 'sinc', 'page', 3)",
  `insert into subscriber_notices (org_id, id, page_id, about, after_num, failures, due_at, created_at)
    values ('org', 'ntc', 'page', '{"kind":"incident"}', 0, 0, 1, 1)`,
  "insert into users (id, email, email_key, name, created_at, updated_at) values ('usr', 'a', 'a', 'Ada', 1, 1)",
  "insert into recovery_codes values ('usr', 0, 'hash')",
]

/** The same values under the new names. */
const after: Readonly<Record<string, string | number>> = {
  'select recent_results as value from monitor_states': 'results',
  'select issued as value from list_totals': 5,
  'select live as value from list_blocks': 1,
  'select endpoint_id as value from webhook_tombstones': 'we',
  'select page_id as value from subscriber_tombstones': 'page',
  'select used as value from mail_windows': 3,
  'select hold_until as value from contacts': 42,
  'select problem_key as value from alerts': 'problem',
  'select message_id as value from alerts': 'message',
  'select message_id as value from alert_threads': 'message',
  'select monitor_nums as value from maintenance_coverage': '[7]',
  'select monitor_nums as value from maintenance_rechecks': '[8]',
  'select position as value from published_incident_pages': 3,
  'select topic as value from subscriber_notices': '{"kind":"incident"}',
  'select code_hash as value from recovery_codes': 'hash',
}

forEachEngine('the migration to plain names', (engine) => {
  test('keeps all rows under the new names', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    await migrate(
      database,
      1,
      migrations.filter(({ id }) => id < 12),
    )
    await database.write(function* () {
      for (const row of before) yield* execute(sql.raw(row))
    })
    const applied = await migrate(database, 2)
    assert.equal(applied[0]?.name, 'plain names')
    for (const [query, value] of Object.entries(after)) {
      assert.deepEqual(await database.read(execute(sql.raw(query))), [{ value }], query)
    }
  })

  test('keeps unique keys and references', async () => {
    await using fixture = await emptyTestDatabase(engine)
    const { database } = fixture
    await migrate(database, 1)
    const insert = (text: string) => database.write(() => execute(sql.raw(text)))
    await insert("insert into list_totals values ('org', 'monitor', 1, 1)")
    await assert.rejects(insert("insert into list_totals values ('org', 'monitor', 2, 2)"), { name: 'UniqueViolation' })
    await assert.rejects(insert("insert into alert_threads values ('org', 'con', 'message', 1)"), /foreign key/i)
  })
})
