import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import { bodyOf, startTestServer } from '../support/server.ts'
import { startHttpTarget } from '../support/targets.ts'

const env = { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_ALERT_WAIT: '0' }

/** In a rolling upgrade, nodes of the next version may write what this one does not know. */
forEachEngine('rows of a newer version', (engine) => {
  test('do not disturb the work on others', async () => {
    await using target = await startHttpTarget()
    await using receiver = await startReceiver()
    await using server = await startTestServer(engine, { env })
    const { database } = server.running
    const client = server.client()
    const create = async (path: string, body: object): Promise<string> => {
      return bodyOf(await client.post(path, body), 201).id
    }
    const monitor = (name: string) => ({ name, type: 'HTTP', url: target.url, intervalSeconds: 30 })
    const newer = await create('/monitors', monitor('newer'))
    await eventually(async () => assert.equal((await client.get(`/monitors/${newer}`)).body.state, 'UP'))
    const contact = await create('/contacts', { name: 'newer', channel: 'WEBHOOK', settings: { url: receiver.url } })
    await create('/contacts', { name: 'known', channel: 'WEBHOOK', settings: { url: receiver.url } })
    const endpoint = await create('/webhook-endpoints', { url: receiver.url, eventTypes: ['incident.opened'] })
    await database.write(function* () {
      yield* execute(sql`update monitors set type = 'NEWER', settings = '{}' where id = ${newer}`)
      yield* execute(sql`update monitor_states set next_check_at = 0, edition = edition + 1, revision = revision + 1`)
      yield* execute(sql`update contacts set channel = 'NEWER' where id = ${contact}`)
      yield* execute(
        sql`update webhook_endpoints set event_types = '["incident.opened","newer.event"]' where id = ${endpoint}`,
      )
      yield* execute(sql`insert into deliveries
        (id, kind, medium, payload, due_at, expires_at, created_at, attempts, after_num)
        values ('newer', 'NEWER', 'HTTP', '', 0, 99999999999999, 0, 0, 0)`)
    })
    for (const path of ['/monitors', '/monitor-list', '/overview', '/contacts', '/webhook-endpoints']) {
      const { status, body } = await client.get(path)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    }
    target.status = 503
    const known = await create('/monitors', monitor('known'))
    await eventually(async () => {
      const kinds = receiver.messages.map(({ event }) => event.type ?? event.alerts[0].kind).sort()
      assert.deepEqual(kinds, ['incident.opened', 'opened'])
    })
    assert.equal((await client.get(`/monitors/${known}`)).body.state, 'DOWN')
    // The newer monitor has no incident, and what waits for the next version still waits.
    assert.equal((await client.get('/incidents')).body.pagination.total, 1)
    const waiting = sql<{ n: number }>`
      select (select count(*) from deliveries) + (select count(*) from alerts where due_at is not null) as n`
    assert.equal((await database.read(execute(waiting)))[0]?.n, 2)
  })
})
