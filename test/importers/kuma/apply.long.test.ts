import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { actionsOf, apply, plan } from '../../configuration/support.ts'
import { mailEnv } from '../../notifications/subscribers/mailing.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { applyImport } from '../apply.ts'
import type { Anything } from '../expected.ts'
import { databaseOf, read } from './databases.ts'

const NO_SERVER = 9

forEachEngine('an import from Uptime Kuma', (engine) => {
  const api = useApi(engine, { env: mailEnv(NO_SERVER) })

  test('is applied without faults, after the upgrade to Kuma 2 without duplicates, and sends no message', async () => {
    const { client, orgId } = await api.tenant()
    const [first, second] = [read(databaseOf('kuma-1.db.gz')), read(databaseOf('kuma-2.db.gz'))]
    await applyImport(client, first)
    const document = second.document as Anything
    const { changes } = await plan(client, document)
    const created = changes.filter(({ action }) => action === 'CREATE').map(({ kind, key }) => `${kind}.${key}`)
    const keysOf = ({ monitors }: Anything) => Object.keys(monitors)
    const known = new Set(keysOf(first.document))
    const added = keysOf(document).filter((key) => !known.has(key))
    assert.deepEqual(created.sort(), added.map((key) => `monitors.${key}`).sort())
    assert.deepEqual(
      actionsOf(changes).filter((action) => /^(DELETE|RELEASE)/.test(action)),
      [],
    )
    await apply(client, document)
    assert.deepEqual(actionsOf((await plan(client, document)).changes), [])
    const { body } = await client.get('/monitors?limit=100')
    assert.equal(body.data.length, keysOf(document).length)
    // Not even when a monitor goes down.
    const closed = body.data.find(({ name }: Anything) => name === 'Closed port')
    const check = await client.post(`/monitors/${closed.id}/check`, {})
    assert.equal(check.body.state ?? check.body.status, 'DOWN', JSON.stringify(check.body))
    const { database } = api.server.running
    const incidents = await database.read(execute(q.selectFrom('incidents').selectAll().where('org_id', '=', orgId)))
    const alerts = await database.read(execute(q.selectFrom('alerts').selectAll().where('org_id', '=', orgId)))
    const mails = await database.read(execute(q.selectFrom('deliveries').selectAll()))
    assert.equal(incidents.length, 1)
    assert.deepEqual([alerts, mails], [[], []])
  })
})
