import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { organizationWithIdOrSlug } from '../../../src/accounts/organizations/queries.ts'
import { CHUNK_SIZE } from '../../../src/notifications/subscribers/notices.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { createPage, publishIncident } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { BOOTSTRAP_KEY, clientOf } from '../../support/server.ts'
import { startProcess } from '../../support/server-process.ts'
import { startSmtp } from '../../support/smtp-server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { confirmed, mailEnv } from './mailing.ts'

const SUBSCRIBERS = 200

forEachEngine('kill -9 while a notice is sent', (engine) => {
  test('everybody gets the notice, and at most the e-mails of one chunk are sent twice', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    await using smtp = await startSmtp()
    const env = { ...workspace.env, ...mailEnv(smtp.port) }
    await using victim = await startProcess(env)
    const database = await workspace.open()
    const client = clientOf(victim.url, { 'x-api-key': BOOTSTRAP_KEY })
    const page = await createPage(client, [], { subscribersEnabled: true, sections: [] })
    const orgId = (await database.read(organizationWithIdOrSlug('default')))?.id as string
    const everybody = Array.from({ length: SUBSCRIBERS }, (_, i) => `u${i}@example.com`)
    const rows = everybody.map((address, i) => confirmed(orgId, page.id, `${i}`, address))
    await database.write(() => execute(q.insertInto('subscribers').values(rows)))
    await publishIncident(client, page.id)
    await eventually(async () => assert.ok(smtp.mails.length > 2 * CHUNK_SIZE))
    const letGo = smtp.hold()
    await delay(100)
    await victim.kill()
    letGo()
    const before = smtp.mails.length
    assert.ok(before < SUBSCRIBERS, `${before}`)
    await using heir = await startProcess(env)
    const left = async () => (await database.read(execute(q.selectFrom('deliveries').select('id')))).length
    await eventually(async () => assert.equal(await left(), 0))
    await delay(500)
    const recipients = smtp.mails.flatMap(({ to }) => to)
    assert.deepEqual([...new Set(recipients)].sort(), everybody.toSorted())
    t.diagnostic(`${before} messages before the crash, ${recipients.length - SUBSCRIBERS} sent twice`)
    assert.ok(recipients.length - SUBSCRIBERS <= CHUNK_SIZE, `${recipients.length}`)
    const twice = smtp.mails.filter(
      ({ to }) => recipients.indexOf(to[0] as string) !== recipients.lastIndexOf(to[0] as string),
    )
    const ids = new Set(twice.map(({ headers }) => headers['message-id']?.[0]))
    assert.equal(ids.size, twice.length / 2, 'a repeated e-mail has the same Message-ID')
    await heir.kill()
  })
})
