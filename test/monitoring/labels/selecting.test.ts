import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, labelled, smallest } from '../../support/monitors.ts'
import { closedPort } from '../../support/ports.ts'

const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)
const query = (selector: string) => `labels=${encodeURIComponent(selector)}`

async function withMonitors(api: Api) {
  const tenant = await api.tenant()
  const { client } = tenant
  const a = await labelled(client, { team: 'pay', env: 'prod' }, smallest('HTTP', { requestHeaders: { 'x-key': 's' } }))
  const b = await labelled(client, { team: 'pay', env: 'dev' })
  const c = await labelled(client, { team: 'web', env: 'prod' })
  const d = await createMonitor(client, smallest('CRON'))
  return { ...tenant, a, b, c, d }
}

forEachEngine('GET /monitors?labels=', (engine) => {
  const api = useApi(engine)

  test('lists the monitors that match, in order of creation, with the total and pages of these', async () => {
    const { client, reader, a, b, c, d } = await withMonitors(api)
    const of = async (selector: string) => ids(await client.get(`/monitors?${query(selector)}`))
    assert.deepEqual(await of('team=pay'), [a.id, b.id])
    assert.deepEqual(await of('env=prod,team in (pay,web)'), [a.id, c.id])
    assert.deepEqual(await of('env!=prod'), [b.id, d.id])
    assert.deepEqual(await of('!team'), [d.id])
    assert.deepEqual(await of('team=none'), [])
    const second = await client.get(`/monitors?${query('team')}&limit=1&offset=1`)
    assert.deepEqual(second.body, { data: [b], pagination: { limit: 1, offset: 1, total: 3 } })
    const beyond = await client.get(`/monitors?${query('team')}&offset=3`)
    assert.deepEqual(beyond.body, { data: [], pagination: { limit: 25, offset: 3, total: 3 } })
    const full = (await client.get(`/monitors?${query('team=pay')}`)).body.data[0]
    assert.deepEqual(full.requestHeaders, { 'x-key': 's' })
    const masked = (await (await reader()).get(`/monitors?${query('team=pay')}`)).body.data[0]
    assert.deepEqual(masked.requestHeaders, { 'x-key': '***' })
  })

  test('a selector that is not valid is a 400 that names the parameter and the character', async () => {
    const { client } = await api.tenant()
    for (const path of ['/monitors', '/incidents']) {
      const answer = await client.get(`${path}?${query('team=')}`)
      expectError(answer, 'validation_error')
      const [fault] = answer.body.error.details
      assert.equal(fault.path, 'labels')
      assert.match(fault.message, /is not a valid selector: expected a value.* \(character 6\)$/)
      expectError(await client.get(`${path}?labels=`), 'validation_error')
      expectError(await client.get(`${path}?${query('x'.repeat(1_001))}`), 'validation_error')
    }
  })

  test('never lists monitors of another organization', async () => {
    await withMonitors(api)
    const { client } = await api.tenant()
    assert.deepEqual((await client.get(`/monitors?${query('team')}`)).body.pagination.total, 0)
    assert.deepEqual((await client.get(`/monitors?${query('!legacy')}`)).body.pagination.total, 0)
  })
})

forEachEngine('GET /incidents?labels=', (engine) => {
  const api = useApi(engine)

  test('lists the incidents of the monitors that match, also with other filters', async () => {
    const { client } = await api.tenant()
    const settings = smallest('PORT', { host: '127.0.0.1', port: await closedPort() })
    const pay = await labelled(client, { team: 'pay' }, settings)
    const web = await labelled(client, { team: 'web' }, settings)
    for (const { id } of [pay, web]) await client.post(`/monitors/${id}/check`, {})
    const of = async (more: string) => {
      const { body } = await client.get(`/incidents?${more}`)
      assert.equal(body.pagination.total, body.data.length)
      return body.data.map(({ monitor }: { monitor: { id: string } }) => monitor.id)
    }
    assert.deepEqual(await of(query('team')), [web.id, pay.id])
    assert.deepEqual(await of(query('team=pay')), [pay.id])
    assert.deepEqual(await of(`${query('team!=pay')}&status=ONGOING`), [web.id])
    assert.deepEqual(await of(`${query('team=pay')}&status=RESOLVED`), [])
    assert.deepEqual(await of(query('other')), [])
  })
})
