import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createWindow, tenantWithWindow } from '../../support/maintenance.ts'
import { expectError } from '../../support/monitors.ts'

forEachEngine('DELETE /maintenance-windows/{maintenanceId}', (engine) => {
  const api = useApi(engine)

  test('a deleted window is missing from the list, from its total and for every other request', async () => {
    const { client, window } = await tenantWithWindow(api)
    const other = await createWindow(client)
    const path = `/maintenance-windows/${window.id}`
    assert.deepEqual((await client.delete(path)).body, { data: { id: window.id } })
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expectError(await client.send(method, path, method === 'PATCH' ? { name: 'x' } : undefined), 'not_found')
    }
    const { body } = await client.get('/maintenance-windows')
    assert.deepEqual(body, { data: [other], pagination: { limit: 25, offset: 0, total: 1 } })
  })

  test('its monitors stay, and can be deleted afterwards', async () => {
    const { client, window, monitor } = await tenantWithWindow(api)
    await client.delete(`/maintenance-windows/${window.id}`)
    assert.equal((await client.get(`/monitors/${monitor.id}`)).status, 200)
    assert.equal((await client.delete(`/monitors/${monitor.id}`)).status, 200)
  })
})
