import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { prunePlans } from '../../src/configuration/stored-plans.ts'
import { HOUR_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { pruneLines } from '../../src/storage/sealed-lines.ts'
import { useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { apply, cron, everything, idOf, plan } from './support.ts'

forEachEngine('a stored plan', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })

  test('is answered 409 if what the document refers to is gone, or if the plan was applied or is older than an hour', async () => {
    const { client } = await api.tenant()
    await apply(client, { version: 1, source: 'other', monitors: { job: cron('Job') } })
    const id = await idOf(client, '/monitors', 'Job')
    const main = { name: 'Main', sections: [{ name: 'All', monitors: [{ monitor: 'other/job' }] }] }
    const referring = await plan(client, { version: 1, statusPages: { main } })
    await client.delete(`/monitors/${id}`)
    assert.equal((await client.post('/configuration/apply', { planId: referring.planId })).status, 409)
    const { planId } = await plan(client, { version: 1, monitors: { a: cron('A') } })
    assert.equal((await client.post('/configuration/apply', { planId })).status, 200)
    assert.equal((await client.post('/configuration/apply', { planId })).status, 409)
    const old = await plan(client, { version: 1, monitors: { b: cron('B') } })
    clock.advance(HOUR_MS)
    assert.equal((await client.post('/configuration/apply', { planId: old.planId })).status, 409)
    assert.equal((await client.get('/monitors')).body.pagination.total, 1)
  })

  test('is encrypted, and deleted after its application or an hour', async () => {
    const { client, orgId } = await api.tenant()
    const stored = () =>
      api.server.running.database.read(
        execute(q.selectFrom('sealed_lines').select('sealed').where('org_id', '=', orgId)),
      )
    const { planId } = await plan(client, everything)
    const lines = (await stored()).map(({ sealed }) => Buffer.from(sealed.split('.')[1] ?? '', 'base64'))
    // Version and source, and the chunks of the kinds of the document.
    assert.ok(lines.length > 3)
    for (const line of lines) assert.throws(() => gunzipSync(Buffer.from(line.toString(), 'base64')))
    assert.equal((await client.post('/configuration/apply', { planId })).status, 200)
    assert.equal((await stored()).length, 0)
    await plan(client, everything)
    clock.advance(HOUR_MS + 1)
    const { database } = api.server.running
    await database.write(() => pruneLines(clock.now(), 100))
    assert.equal((await stored()).length, 0)
    assert.ok((await database.write(() => prunePlans(clock.now(), 100))) > 0)
  })
})
