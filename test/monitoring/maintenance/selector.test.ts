import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { changedWindow, createWindow, currentWindow, HOUR, hourFrom } from '../../support/maintenance.ts'
import { createMonitor, expectError, type MonitorBody, setLabels, smallest } from '../../support/monitors.ts'
import { closedPort } from '../../support/ports.ts'
import type { Client } from '../../support/server.ts'
import { numOf } from '../checks/stored-history.ts'

const setSelector = (client: Client, id: string, selector: string | null) =>
  client.send('PUT', `/maintenance-windows/${id}/selector`, { selector })

/** How many windows cover a monitor. */
const windowsOf = async (client: Client, { id }: MonitorBody): Promise<number> =>
  (await client.get(`/maintenance-windows?monitorId=${id}`)).body.pagination.total

/** The monitors with an open incident. */
const openIncidents = async (client: Client): Promise<string[]> =>
  (await client.get('/incidents?status=ONGOING')).body.data.map(({ monitor }: MonitorBody) => monitor.id).toSorted()

forEachEngine('the selector of a maintenance window', (engine) => {
  const api = useApi(engine)

  test('is set, returned in its canonical form, and removed', async () => {
    const { client } = await api.tenant()
    const { id, updatedAt: _updatedAt, ...window } = await createWindow(client)
    assert.deepEqual((await client.get(`/maintenance-windows/${id}/selector`)).body, { selector: null })
    const answer = await setSelector(client, id, 'env in (prod, prod) , team==pay')
    assert.deepEqual([answer.status, answer.body], [200, { selector: 'env=prod,team=pay' }])
    const { updatedAt: _later, id: _id, ...after } = await currentWindow(client, id)
    assert.deepEqual(after, window, 'no field of the window changes')
    const faulty = await setSelector(client, id, 'a=')
    expectError(faulty, 'validation_error', ['selector'])
    assert.deepEqual((await setSelector(client, id, null)).body, { selector: null })
  })

  test('is changed with other fields of the window, and stays while the window covers nothing else', async () => {
    const { client } = await api.tenant()
    const { id } = await createWindow(client, { allMonitors: false, monitorIds: [], selector: 'env=prod' })
    const path = `/maintenance-windows/${id}`
    for (const answer of [await setSelector(client, id, null), await client.patch(path, { selector: null })]) {
      expectError(answer, 'validation_error', ['selector'])
    }
    const faulty = await client.patch(path, { selector: 'a=', timezone: 'Mars' })
    expectError(faulty, 'validation_error', ['selector', 'timezone'])
    assert.equal((await changedWindow(client, id, { name: 'Renamed', selector: 'team==pay' })).name, 'Renamed')
    assert.deepEqual((await client.get(`${path}/selector`)).body, { selector: 'team=pay' })
    await changedWindow(client, id, { name: 'Again' })
    assert.deepEqual((await client.get(`${path}/selector`)).body, { selector: 'team=pay' })
    await changedWindow(client, id, { allMonitors: true, selector: null })
    assert.deepEqual((await client.get(`${path}/selector`)).body, { selector: null })
  })

  test('covers monitors as long as they have the label, also those that get it later', async () => {
    const { client } = await api.tenant()
    const settings = smallest('PORT', { host: '127.0.0.1', port: await closedPort() })
    const [listed, labelled, later] = [
      await createMonitor(client, settings),
      await createMonitor(client, settings),
      await createMonitor(client, settings),
    ]
    await setLabels(client, labelled.id, { team: 'pay' })
    const times = hourFrom(Date.now(), -HOUR, 2 * HOUR)
    const { id } = await createWindow(client, { ...times, allMonitors: false, monitorIds: [listed.id] })
    await setSelector(client, id, 'team=pay')
    const down = async () => {
      for (const monitor of [listed, labelled, later]) await client.post(`/monitors/${monitor.id}/check`, {})
      return openIncidents(client)
    }
    await setLabels(client, later.id, { team: 'pay', env: 'x' })
    assert.deepEqual(await down(), [])
    assert.deepEqual([await windowsOf(client, labelled), await windowsOf(client, later)], [1, 1])
    assert.deepEqual((await currentWindow(client, id)).monitorIds, [listed.id])
    await setLabels(client, later.id, { env: 'x' })
    assert.deepEqual(await down(), [later.id])
    await client.post('/monitors/bulk', {
      monitorIds: [labelled.id, listed.id],
      action: 'LABEL',
      labels: { team: null },
    })
    assert.deepEqual(await down(), [labelled.id, later.id].toSorted(), 'a listed monitor stays covered')
    await setLabels(client, listed.id, { team: 'pay' })
    await changedWindow(client, id, { monitorIds: [] })
    assert.deepEqual(await down(), [labelled.id, later.id].toSorted(), 'the selector alone covers')
    await changedWindow(client, id, { monitorIds: [labelled.id], selector: null })
    assert.deepEqual(await down(), [labelled.id, later.id, listed.id].toSorted(), 'an open incident stays')
    await changedWindow(client, id, { allMonitors: true, monitorIds: [] })
    expectError(await client.patch(`/maintenance-windows/${id}`, { allMonitors: false }), 'validation_error')
  })
})

forEachEngine('a selector and other changes of the window', (engine) => {
  const api = useApi(engine)

  test('is evaluated when the list of monitors changes, and not by other changes of the window', async () => {
    const { client, orgId } = await api.tenant()
    const [listed, matching] = [
      await createMonitor(client, smallest('CRON')),
      await createMonitor(client, smallest('CRON')),
    ]
    const { id } = await createWindow(client, { allMonitors: false, monitorIds: [listed.id] })
    await setSelector(client, id, 'team=pay')
    const { database } = api.server.running
    // A label that the window does not know of.
    const label = { org_id: orgId, num: await numOf(api.server, matching.id), key: 'team', value: 'pay' }
    await database.write(function* () {
      yield* execute(q.insertInto('monitor_labels').values(label))
      yield* execute(q.insertInto('label_keys').values({ org_id: orgId, key: 'team', monitors: 1 }))
      yield* execute(q.insertInto('label_values').values({ org_id: orgId, key: 'team', value: 'pay', monitors: 1 }))
    })
    await changedWindow(client, id, { name: 'Other name', ...hourFrom(Date.now(), HOUR), description: 'x' })
    assert.deepEqual([await windowsOf(client, listed), await windowsOf(client, matching)], [1, 0])
    await changedWindow(client, id, { monitorIds: [] })
    assert.deepEqual([await windowsOf(client, listed), await windowsOf(client, matching)], [0, 1])
  })

  test('a list of monitors that changes at the same time is not lost', async () => {
    const { client } = await api.tenant()
    const [a, b, c] = [
      await createMonitor(client, smallest('CRON')),
      await createMonitor(client, smallest('CRON')),
      await createMonitor(client),
    ]
    await setLabels(client, c.id, { team: 'pay' })
    for (let round = 0; round < 8; round += 1) {
      const { id } = await createWindow(client, { allMonitors: false, monitorIds: [a.id] })
      const path = `/maintenance-windows/${id}`
      await Promise.all([client.patch(path, { monitorIds: [b.id] }), setSelector(client, id, 'team=pay')])
      assert.deepEqual([await windowsOf(client, a), await windowsOf(client, b), await windowsOf(client, c)], [0, 1, 1])
      await client.delete(path)
    }
  })

  test('stays when a monitor that it matches is deleted; labels can be changed after the window is deleted', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    for (const { id } of [a, b]) await setLabels(client, id, { team: 'pay' })
    const { id } = await createWindow(client, { allMonitors: false, monitorIds: [b.id] })
    await setSelector(client, id, 'team')
    assert.equal((await client.delete(`/monitors/${a.id}`)).status, 200)
    assert.deepEqual((await client.get(`/maintenance-windows/${id}/selector`)).body, { selector: 'team' })
    assert.equal(await windowsOf(client, b), 1)
    assert.equal((await client.delete(`/maintenance-windows/${id}`)).status, 200)
    await setLabels(client, b.id, {})
  })
})

forEachEngine('the selector of a new maintenance window', (engine) => {
  const api = useApi(engine)

  test('chooses its monitors from the first moment on, and no others', async () => {
    const { client } = await api.tenant()
    const settings = smallest('PORT', { host: '127.0.0.1', port: await closedPort() })
    const [labelled, other] = [await createMonitor(client, settings), await createMonitor(client, settings)]
    await setLabels(client, labelled.id, { team: 'pay' })
    const times = hourFrom(Date.now(), -HOUR, 2 * HOUR)
    const window = await createWindow(client, { ...times, allMonitors: false, selector: 'team in (pay, pay)' })
    assert.deepEqual([window.monitorIds, window.status, 'selector' in window], [[], 'IN_PROGRESS', false])
    const stored = await client.get(`/maintenance-windows/${window.id}/selector`)
    assert.deepEqual(stored.body, { selector: 'team=pay' })
    for (const { id } of [labelled, other]) await client.post(`/monitors/${id}/check`, {})
    assert.deepEqual(await openIncidents(client), [other.id])
    await setLabels(client, other.id, { team: 'pay' })
    assert.equal(await windowsOf(client, other), 1, 'it follows the labels')
  })

  test('is validated with its other fields', async () => {
    const { client } = await api.tenant()
    const window = { name: 'Upgrade', ...hourFrom(Date.now(), HOUR, 2 * HOUR) }
    const faulty = await client.post('/maintenance-windows', { ...window, name: '', selector: 'a=' })
    expectError(faulty, 'validation_error', ['name', 'selector'])
    for (const selector of [null, undefined]) {
      const none = await client.post('/maintenance-windows', { ...window, selector })
      expectError(none, 'validation_error', ['monitorIds'])
    }
    expectError(await client.post('/maintenance-windows', { ...window, selector: '' }), 'validation_error')
    assert.equal((await client.get('/maintenance-windows')).body.pagination.total, 0)
  })
})
