import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { changedWindow, currentWindow, HOUR, hourFrom, madeWindow } from '../../support/maintenance.ts'
import { expectError, made, setLabels, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { closedPort } from '../../support/targets.ts'

const setSelector = (client: Client, id: string, selector: string | null) =>
  client.send('PUT', `/maintenance-windows/${id}/selector`, { selector })

forEachEngine('the selector of a maintenance window', (engine) => {
  const api = useApi(engine)

  test('is set, returned in its canonical form, and removed; other organizations do not see it', async () => {
    const { client, reader } = await api.tenant()
    const { id, updatedAt: _updatedAt, ...window } = await madeWindow(client)
    assert.deepEqual((await client.get(`/maintenance-windows/${id}/selector`)).body, { selector: null })
    const answer = await setSelector(client, id, 'env in (prod, prod) , team==pay')
    assert.deepEqual([answer.status, answer.body], [200, { selector: 'env=prod,team=pay' }])
    const readOnly = await reader()
    assert.deepEqual((await readOnly.get(`/maintenance-windows/${id}/selector`)).body, answer.body)
    expectError(await setSelector(readOnly, id, 'a'), 'forbidden')
    const { updatedAt: _later, id: _id, ...after } = await currentWindow(client, id)
    assert.deepEqual(after, window, 'no field of the window changes')
    const faulty = await setSelector(client, id, 'a=')
    expectError(faulty, 'validation_error')
    assert.equal(faulty.body.error.details[0].path, 'selector')
    const other = await api.tenant()
    expectError(await other.client.get(`/maintenance-windows/${id}/selector`), 'not_found')
    expectError(await setSelector(other.client, id, 'a'), 'not_found')
    assert.deepEqual((await setSelector(client, id, null)).body, { selector: null })
  })

  test('covers monitors as long as they have the label, also those that get it later', async () => {
    const { client } = await api.tenant()
    const settings = smallest('PORT', { host: '127.0.0.1', port: await closedPort() })
    const [listed, labelled, later] = [
      await made(client, settings),
      await made(client, settings),
      await made(client, settings),
    ]
    await setLabels(client, labelled.id, { team: 'pay' })
    const times = hourFrom(Date.now(), -HOUR, 2 * HOUR)
    const { id } = await madeWindow(client, { ...times, allMonitors: false, monitorIds: [listed.id] })
    await setSelector(client, id, 'team=pay')
    const openIncidents = async () => {
      for (const monitor of [listed, labelled, later]) await client.post(`/monitors/${monitor.id}/check`, {})
      const { body } = await client.get('/incidents?status=ONGOING')
      return body.data.map(({ monitor }: { monitor: { id: string } }) => monitor.id).toSorted()
    }
    const windowsOf = async (monitorId: string) =>
      (await client.get(`/maintenance-windows?monitorId=${monitorId}`)).body.pagination.total
    await setLabels(client, later.id, { team: 'pay', env: 'x' })
    assert.deepEqual(await openIncidents(), [])
    assert.deepEqual([await windowsOf(labelled.id), await windowsOf(later.id)], [1, 1])
    assert.deepEqual((await currentWindow(client, id)).monitorIds, [listed.id])
    await setLabels(client, later.id, { env: 'x' })
    assert.deepEqual(await openIncidents(), [later.id])
    await client.post('/monitors/bulk', {
      monitorIds: [labelled.id, listed.id],
      action: 'LABEL',
      labels: { team: null },
    })
    assert.deepEqual(await openIncidents(), [labelled.id, later.id].toSorted(), 'a listed monitor stays covered')
    await setLabels(client, listed.id, { team: 'pay' })
    await changedWindow(client, id, { monitorIds: [] })
    assert.deepEqual(await openIncidents(), [labelled.id, later.id].toSorted(), 'the selector alone covers')
    await setSelector(client, id, null)
    assert.equal((await openIncidents()).length, 3)
    await changedWindow(client, id, { allMonitors: true })
    expectError(await client.patch(`/maintenance-windows/${id}`, { allMonitors: false }), 'validation_error')
  })

  test('stays when a monitor that it matches is deleted; labels can be changed after the window is deleted', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await made(client, smallest('CRON')), await made(client, smallest('CRON'))]
    for (const { id } of [a, b]) await setLabels(client, id, { team: 'pay' })
    const { id } = await madeWindow(client, { allMonitors: false, monitorIds: [b.id] })
    await setSelector(client, id, 'team')
    assert.equal((await client.delete(`/monitors/${a.id}`)).status, 200)
    assert.deepEqual((await client.get(`/maintenance-windows/${id}/selector`)).body, { selector: 'team' })
    assert.equal((await client.get(`/maintenance-windows?monitorId=${b.id}`)).body.pagination.total, 1)
    assert.equal((await client.delete(`/maintenance-windows/${id}`)).status, 200)
    await setLabels(client, b.id, {})
  })
})
