import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, sendLabels, smallest } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { createEndpoint } from '../../support/webhooks.ts'

const counts = async (client: Client, query = '') =>
  (await client.get(`/labels${query}`)).body.data.map(
    ({ label, monitors, values }: { label: string; monitors: number; values: { value: string; monitors: number }[] }) =>
      `${label} ${monitors}: ${values.map(({ value, monitors: n }) => `${value} ${n}`).join(', ')}`,
  )

forEachEngine('labels of a monitor', (engine) => {
  const api = useApi(engine)

  test('are empty at first, are replaced as a whole, and are returned in order of key', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    assert.deepEqual((await client.get(`/monitors/${id}/labels`)).body, { labels: {} })
    const first = await sendLabels(client, id, { team: 'payments', env: 'prod', note: '' })
    assert.equal(first.status, 200)
    assert.equal(JSON.stringify(first.body), '{"labels":{"env":"prod","note":"","team":"payments"}}')
    const second = await sendLabels(client, id, { env: 'staging', tier: '1' })
    assert.deepEqual(second.body, { labels: { env: 'staging', tier: '1' } })
    assert.deepEqual((await client.get(`/monitors/${id}/labels`)).body, second.body)
    assert.deepEqual((await sendLabels(client, id, {})).body, { labels: {} })
    assert.deepEqual((await client.get('/labels')).body.data, [])
  })

  test('do not change the monitor itself, and emit no event', async () => {
    const { client } = await api.tenant()
    await createEndpoint(client)
    const monitor = await createMonitor(client)
    await sendLabels(client, monitor.id, { team: 'payments' })
    const bulk = { monitorIds: [monitor.id], action: 'LABEL', labels: { env: 'prod' } }
    assert.equal((await client.post('/monitors/bulk', bulk)).body.changed, 1)
    assert.deepEqual((await client.get(`/monitors/${monitor.id}`)).body, monitor)
    const { data } = (await client.get('/webhook-deliveries')).body
    assert.deepEqual(
      data.map(({ eventType }: { eventType: string }) => eventType),
      ['monitor.created'],
    )
  })

  test('have keys and values by the rules; every fault is named', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client)
    const allowed = { ['k'.repeat(32)]: 'x'.repeat(63), 'a_b-1': '😀'.repeat(63), constructor: 'a,(b) "c"' }
    assert.deepEqual((await sendLabels(client, id, allowed)).body, { labels: allowed })
    const answer = await sendLabels(client, id, {
      Team: 'a',
      ['k'.repeat(33)]: 'b',
      ok: 'x'.repeat(64),
      tab: 'a\tb',
      n: 1,
    })
    const paths = ['labels.Team', `labels.${'k'.repeat(33)}`, 'labels.n', 'labels.ok', 'labels.tab']
    expectError(answer, 'validation_error', paths)
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, 'v']))
    assert.equal((await sendLabels(client, id, many)).status, 200)
    expectError(await sendLabels(client, id, { ...many, more: 'v' }), 'validation_error')
    expectError(await sendLabels(client, id, undefined), 'validation_error')
    assert.deepEqual((await client.get(`/monitors/${id}/labels`)).body, { labels: many })
  })

  test('have at most 1,000 keys in an organization, also if they are added at the same time', async () => {
    const { client, orgId } = await api.tenant()
    const [a, b] = [await createMonitor(client), await createMonitor(client)]
    const keys = Array.from({ length: 999 }, (_, i) => ({ org_id: orgId, key: `k${i}`, monitors: 1 }))
    await api.server.running.database.write(() => execute(q.insertInto('label_keys').values(keys)))
    const answers = await Promise.all([
      sendLabels(client, a.id, { one: '', k1: 'x' }),
      sendLabels(client, b.id, { two: '', k2: 'x' }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
    const full = await sendLabels(client, a.id, { k1: '', three: '', four: '' })
    expectError(full, 'validation_error', ['labels.four', 'labels.three'])
    assert.match(full.body.error.details[0].message, /^is a new key, and the organization already has 1000 label keys/)
    assert.equal((await sendLabels(client, b.id, { k3: '' })).status, 200, 'a key that is in use')
  })

  test('of another organization are unknown', async () => {
    const [mine, foreign] = [await api.tenant(), await api.tenant()]
    const { id } = await createMonitor(foreign.client)
    await sendLabels(foreign.client, id, { team: 'secret' })
    expectError(await mine.client.get(`/monitors/${id}/labels`), 'not_found')
    expectError(await sendLabels(mine.client, id, { team: 'x' }), 'not_found')
    assert.deepEqual(await counts(mine.client), [])
    assert.deepEqual((await mine.client.get('/labels/team/values')).body.data, [])
    assert.deepEqual((await foreign.client.get(`/monitors/${id}/labels`)).body, { labels: { team: 'secret' } })
  })
})

forEachEngine('GET /labels', (engine) => {
  const api = useApi(engine)

  test('lists keys and values with their numbers of monitors, which follow changes and deletions', async () => {
    const { client } = await api.tenant()
    const [a, b, c] = [
      await createMonitor(client),
      await createMonitor(client, smallest('CRON')),
      await createMonitor(client),
    ]
    await sendLabels(client, a.id, { env: 'prod', team: 'payments' })
    await sendLabels(client, b.id, { env: 'prod' })
    await sendLabels(client, c.id, { env: 'staging', note: '' })
    assert.deepEqual(await counts(client), ['env 3: prod 2, staging 1', 'note 1:  1', 'team 1: payments 1'])
    await sendLabels(client, a.id, { env: 'staging', team: 'payments' })
    assert.deepEqual(await counts(client), ['env 3: prod 1, staging 2', 'note 1:  1', 'team 1: payments 1'])
    await client.delete(`/monitors/${c.id}`)
    assert.deepEqual(await counts(client), ['env 2: prod 1, staging 1', 'team 1: payments 1'])
    await sendLabels(client, a.id, {})
    assert.deepEqual(await counts(client), ['env 1: prod 1'])
    await client.delete(`/monitors/${b.id}`)
    assert.deepEqual(await counts(client), [])
  })

  test('is paged, and a key with many values shows the first 20', async () => {
    const { client } = await api.tenant()
    for (let i = 0; i < 22; i += 1) {
      const { id } = await createMonitor(client)
      await sendLabels(client, id, { host: `h${String(i).padStart(2, '0')}`, [`k${i % 3}`]: 'x' })
    }
    const { body } = await client.get('/labels?limit=2')
    assert.deepEqual(body.pagination, { limit: 2, offset: 0, total: 4 })
    assert.deepEqual(
      body.data.map(({ label }: { label: string }) => label),
      ['host', 'k0'],
    )
    assert.equal(body.data[0].values.length, 20)
    assert.equal(body.data[0].hasMoreValues, true)
    assert.equal(body.data[1].hasMoreValues, false)
    assert.deepEqual(await counts(client, '?offset=2'), ['k1 7: x 7', 'k2 7: x 7'])
    const values = await client.get('/labels/host/values?limit=5&offset=20')
    assert.deepEqual(values.body, {
      data: [
        { value: 'h20', monitors: 1 },
        { value: 'h21', monitors: 1 },
      ],
      pagination: { limit: 5, offset: 20, total: 22 },
    })
    const some = await client.get('/labels/host/values?prefix=h1')
    assert.equal(some.body.pagination.total, 10)
    assert.equal(some.body.data[0].value, 'h10')
  })
})
