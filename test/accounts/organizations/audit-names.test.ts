import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'

forEachEngine('the audit log', (engine) => {
  const installation = useInstallation(engine)
  const log = async (query: string) => (await installation.owner.get(`/v1/audit-log${query}`)).body.data
  const latest = async () => (await log('?limit=1'))[0]

  test('names what was changed, as it was called at that time', async () => {
    const { owner } = installation
    const named = async () => [(await latest()).action, (await latest()).targetName]
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'Old blog', type: 'CRON' })
    await owner.post(`/v1/monitors/${monitor.id}/pause`, {})
    assert.deepEqual(await named(), ['pauseMonitor', 'Old blog'])
    await owner.send('PUT', `/v1/monitors/${monitor.id}/labels`, { labels: { team: 'web' } })
    assert.deepEqual(await named(), ['setMonitorLabels', 'Old blog'])
    await owner.post('/v1/monitors/bulk', { monitorIds: [monitor.id], action: 'RESUME' })
    assert.deepEqual(await named(), ['resumeMonitor', 'Old blog'])
    await owner.patch(`/v1/monitors/${monitor.id}`, { name: 'Blog' })
    await owner.delete(`/v1/monitors/${monitor.id}`)
    assert.deepEqual(await named(), ['deleteMonitor', 'Blog'])
    const { body: page } = await owner.post('/v1/status-pages', { name: 'Shop' })
    await owner.patch(`/v1/status-pages/${page.id}`, { published: false })
    assert.deepEqual(await named(), ['updateStatusPage', 'Shop'])
    const { body: endpoint } = await owner.post('/v1/webhook-endpoints', { url: 'https://hooks.example/secret-path' })
    assert.deepEqual(await named(), ['createWebhookEndpoint', 'https://hooks.example/…'])
    await owner.delete(`/v1/webhook-endpoints/${endpoint.id}`)
    assert.deepEqual(await named(), ['deleteWebhookEndpoint', 'https://hooks.example/…'])
    const bystanders = await log('?limit=100')
    assert.deepEqual(
      bystanders.filter((entry: Record<string, unknown>) => entry.target !== null && entry.targetName === null),
      [],
    )
  })
})
