import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { BOOTSTRAP_KEY, clientOf } from '../../support/server.ts'
import { startProcess } from '../../support/server-process.ts'
import { startSmtp } from '../../support/smtp-server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { mailEnv } from '../subscribers/mailing.ts'

const PEOPLE = 20

forEachEngine('kill -9 while account mails are sent', (engine) => {
  test('every acknowledged mail arrives, and a repeated one has the same Message-ID', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    await using smtp = await startSmtp()
    const env = { ...workspace.env, ...mailEnv(smtp.port) }
    await using victim = await startProcess(env)
    const database = await workspace.open()
    const client = clientOf(victim.url.replace('localhost', '127.0.0.1'), { 'x-api-key': BOOTSTRAP_KEY })
    const letGo = smtp.hold()
    const addresses = Array.from({ length: PEOPLE }, (_, i) => `u${i}@example.com`)
    for (const address of addresses) {
      const { status } = await client.post('/contacts', { name: address, channel: 'EMAIL', settings: { address } })
      assert.equal(status, 201)
    }
    const claimed = q.selectFrom('deliveries').select('id').where('claimed_by', 'is not', null)
    await eventually(async () => assert.ok((await database.read(execute(claimed))).length > 0))
    await delay(100)
    await victim.kill()
    letGo()
    await using heir = await startProcess(env)
    const left = async () => (await database.read(execute(q.selectFrom('deliveries').select('id')))).length
    await eventually(async () => assert.equal(await left(), 0))
    const ids = smtp.mails.map(({ headers }) => headers['message-id']?.[0])
    assert.deepEqual([...new Set(smtp.mails.flatMap(({ to }) => to))].sort(), addresses.toSorted())
    assert.equal(new Set(ids).size, PEOPLE)
    t.diagnostic(`${ids.length - PEOPLE} of ${PEOPLE} sent twice`)
    await heir.kill()
  })
})
