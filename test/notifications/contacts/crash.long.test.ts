import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { organizationWithIdOrSlug } from '../../../src/accounts/organizations/queries.ts'
import { insertContact } from '../../../src/notifications/contacts/create.ts'
import { alertContacts } from '../../../src/notifications/contacts/queries.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startProcess } from '../../support/server-process.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { newAlert, sealer } from './alerting.ts'
import { startService } from './service.ts'

forEachEngine('kill -9 while an alert is being sent', (engine) => {
  test('it is sent again after the start, with the same id, and then no more', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    await using service = await startService(() => ({ status: 200 }))
    const env = { ...workspace.env, PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    const letGo = service.hold()
    await using victim = await startProcess(env)
    const database = await workspace.open()
    const orgId = (await database.read(organizationWithIdOrSlug('default')))?.id as string
    const contact = { orgId, name: 'Hook', channel: 'WEBHOOK', settings: { url: service.url } } as const
    await database.write(() => insertContact(contact, sealer, Date.now()))
    const changedAt = Date.now()
    await database.write(() => alertContacts(newAlert(orgId)))
    await eventually(async () => assert.equal(service.received.length, 1))
    t.diagnostic(`alert sent ${(service.received[0]?.at ?? 0) - changedAt} ms after the change`)
    await victim.kill()
    letGo()
    await using heir = await startProcess(env)
    const startedAt = Date.now()
    const outcome = async () => (await database.read(execute(q.selectFrom('alerts').select('outcome'))))[0]?.outcome
    await eventually(async () => assert.equal(await outcome(), 'SENT'))
    t.diagnostic(`alert sent again ${Date.now() - startedAt} ms after the start`)
    await delay(1_000)
    const [first, second, ...more] = service.received.map(({ body }) => body)
    assert.deepEqual([second.id, second.alerts, more], [first.id, first.alerts, []])
    await heir.kill()
  })
})
