import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { createPage, createPublished, posted, showing } from '../../support/status.ts'
import { useHttpTarget } from '../../support/targets.ts'

forEachEngine('published incidents that outlive their outage', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_ROLES: 'api' } })
  const target = useHttpTarget()

  test('are listed once all their monitors have come up, until they are resolved', async () => {
    const { client } = await api.tenant()
    const other = await api.tenant()
    const monitor = await createMonitor(client, { ...smallest('HTTP'), url: target.url })
    const still = await createMonitor(client, { ...smallest('CRON'), name: 'Never checked' })
    const page = await createPage(client, { sections: [showing(monitor, still)] })
    const check = async (status: number) => {
      target.status = status
      clock.advance(60_000)
      await client.post(`/monitors/${monitor.id}/check`, {})
    }
    const listed = async () => (await client.get('/outlived-incidents')).body.data
    const publish = (monitorIds: readonly string[], title: string) =>
      createPublished(client, page.id, {
        title,
        startedAt: new Date(clock.now()).toISOString(),
        affectedMonitors: monitorIds.map((monitorId) => ({ monitorId, status: 'MAJOR_OUTAGE' })),
      })
    await check(200)
    // About something that monitors do not see: nothing has come up.
    clock.advance(1_000)
    await publish([monitor.id], 'Wrong prices')
    assert.deepEqual(await listed(), [])
    await check(500)
    const outage = await publish([monitor.id], 'Outage')
    await publish([monitor.id, still.id], 'Both')
    await publish([], 'All is slow')
    assert.deepEqual(await listed(), [])
    await check(200)
    const upSince = new Date(clock.now()).toISOString()
    const { id, name } = monitor
    const [first] = await listed()
    assert.deepEqual(first, { id: outage.id, title: 'Outage', upSince, monitors: [{ id, name }] })
    assert.deepEqual(
      (await listed()).map(({ title }: { title: string }) => title),
      ['Outage', 'Wrong prices'],
    )
    assert.deepEqual((await other.client.get('/outlived-incidents')).body.data, [])
    await posted(client, outage.id, { status: 'RESOLVED' })
    assert.equal((await listed()).length, 1)
    await check(500)
    assert.deepEqual(await listed(), [])
  })
})
