import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, elaborate, expectError, smallest } from '../../support/monitors.ts'

forEachEngine('GET /monitors/{monitorId}', (engine) => {
  const api = useApi(engine)
  test('a monitor is returned as its creation returned it', async () => {
    const { client } = await api.tenant()
    for (const body of [smallest('HTTP'), smallest('CRON'), elaborate]) {
      const monitor = await createMonitor(client, body)
      const answer = await client.get(`/monitors/${monitor.id}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, monitor)
    }
  })

  const strangers = ['x', 'mon_', '%20', '%F0%9F%98%80', '..%2Fmonitors', "'%20or%201=1--", 'x'.repeat(5000)]
  test('an unknown id is 404', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client)
    for (const id of [...strangers, monitor.id.toUpperCase()]) {
      expectError(await client.get(`/monitors/${id}`), 'not_found')
    }
  })
})
