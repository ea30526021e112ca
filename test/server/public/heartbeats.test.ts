import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startTestServer } from '../../support/server.ts'

forEachEngine('the body of a heartbeat', (engine) => {
  test('may have any length: the first 10 KiB are kept and the signal counts', async () => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    const client = server.client()
    const { id, heartbeatUrl } = (await client.post('/monitors', { name: 'Backup', type: 'CRON' })).body
    const body = `begin ${'x'.repeat(3 * 1024 * 1024)} end`
    const answer = await fetch(`${server.url}${new URL(heartbeatUrl).pathname}`, { method: 'POST', body })
    assert.equal(answer.status, 200)
    assert.equal((await client.get(`/monitors/${id}`)).body.state, 'UP')
    const [stored] = await server.running.database.read(execute(q.selectFrom('heartbeats').select('body')))
    assert.equal(stored?.body, body.slice(0, 10 * 1024))
  })
})
