import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, elaborate, expectError, smallest } from '../../support/monitors.ts'
import { sharedOutcomes } from '../../support/outcomes.ts'

forEachEngine('GET /monitors/{monitorId}', (engine) => {
  const api = useApi(engine)
  sharedOutcomes('get', api)

  test('a monitor is returned as its creation returned it', async () => {
    const { client } = await api.tenant()
    for (const body of [smallest('HTTP'), smallest('CRON'), elaborate]) {
      const monitor = await createMonitor(client, body)
      const answer = await client.get(`/monitors/${monitor.id}`)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, monitor)
    }
  })

  test('reading a monitor changes nothing about it', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const first = await client.get(`/monitors/${id}`)
    assert.deepEqual((await client.get(`/monitors/${id}`)).body, first.body)
  })

  const strangers = ['x', 'mon_', '%20', '%F0%9F%98%80', '..%2Fmonitors', "'%20or%201=1--", 'x'.repeat(5000)]
  for (const id of strangers) {
    test(`an unknown id (${id.slice(0, 20)}) is 404`, async () => {
      const { client } = await api.tenant()
      await createMonitor(client)
      expectError(await client.get(`/monitors/${id}`), 'not_found')
    })
  }

  test('an id differs from the same id in capitals', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    expectError(await client.get(`/monitors/${id.toUpperCase()}`), 'not_found')
  })

  test('an empty id is 404', async () => {
    const { client } = await api.tenant()
    expectError(await client.get('/monitors/'), 'not_found')
  })

  test('an id that no engine can look up is 400 on both', async () => {
    const { client } = await api.tenant()
    expectError(await client.get('/monitors/a%00b'), 'validation_error', ['monitorId'])
  })

  test('undeclared query parameters are ignored, including an organization', async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const monitor = await createMonitor(own.client)
    const foreign = await createMonitor(other.client)
    const query = `?orgId=${other.orgId}&organization=${other.orgId}&limit=0`
    assert.deepEqual((await own.client.get(`/monitors/${monitor.id}${query}`)).body, monitor)
    expectError(await own.client.get(`/monitors/${foreign.id}${query}`), 'not_found')
  })
})
