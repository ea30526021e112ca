import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { monitorOperations } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, type MonitorBody, smallest, total, unchangedBy } from '../../support/monitors.ts'
import { call } from '../../support/outcomes.ts'

forEachEngine('tenants and access', (engine) => {
  const api = useApi(engine)
  isolation(api)
  accessLevels(api)
})

function isolation(api: Api): void {
  test("an organization can neither read nor change another organization's monitors", async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const monitors = await Promise.all(
      (['HTTP', 'CRON', 'PORT'] as const).map((type) => createMonitor(other.client, smallest(type))),
    )
    await unchangedBy(other.client, async () => {
      for (const operation of monitorOperations.filter(({ path }) => path('a') !== path('b'))) {
        for (const { id } of monitors) expectError(await call(own.client, operation, id), 'not_found')
      }
    })
    assert.equal(await total(own.client), 0)
  })

  test('each organization lists only its own monitors', async () => {
    const tenants = [await api.tenant(), await api.tenant(), await api.tenant()]
    const created = tenants.map((): MonitorBody[] => [])
    for (let round = 0; round < 4; round += 1) {
      for (const [i, { client }] of tenants.entries()) {
        created[i]?.push(await createMonitor(client, smallest('HTTP', { name: `${i}.${round}` })))
      }
    }
    for (const [i, { client }] of tenants.entries()) {
      const { body } = await client.get('/monitors')
      assert.deepEqual(body.data, created[i])
      assert.equal(body.pagination.total, 4)
    }
  })

  test('plan limits are per organization', async () => {
    const [own, other] = [await api.tenant('FREE'), await api.tenant('FREE')]
    for (let i = 0; i < 10; i += 1) await createMonitor(other.client)
    expectError(await other.client.post('/monitors', smallest('HTTP')), 'plan_limit')
    await createMonitor(own.client)
  })

  test('no query and no body can select another organization', async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const fields = ['orgId', 'org_id', 'organizationId', 'organization', 'tenant']
    for (const field of fields) {
      const body = smallest('HTTP', { [field]: other.orgId })
      expectError(await own.client.post('/monitors', body), 'validation_error', [field])
      const created = await own.client.post(`/monitors?${field}=${other.orgId}`, smallest('HTTP'))
      assert.equal(created.status, 201)
    }
    assert.deepEqual([await total(own.client), await total(other.client)], [fields.length, 0])
  })

  test('two monitors with the same name and target are two monitors', async () => {
    const { client } = await api.tenant()
    const [one, two] = [await createMonitor(client), await createMonitor(client)]
    assert.notEqual(one.id, two.id)
    assert.equal(await total(client), 2)
  })
}

function accessLevels(api: Api): void {
  test('a read-only key can list and get, and nothing else', async () => {
    const { client, reader } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    const readOnly = await reader()
    await unchangedBy(client, async () => {
      for (const operation of monitorOperations) {
        const answer = await call(readOnly, operation, id)
        assert.equal(answer.status, operation.changes ? 403 : 200, operation.name)
        if (operation.changes) expectError(answer, 'forbidden')
      }
    })
  })

  test('a read-only key gets 403 for unknown monitors too', async () => {
    const { reader } = await api.tenant()
    expectError(await (await reader()).delete('/monitors/mon_unknown'), 'forbidden')
  })

  test('a full-access key can do everything', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    for (const operation of monitorOperations) {
      assert.equal((await call(client, operation, id)).status, operation.status, operation.name)
    }
  })

  test('all keys of an organization see the same monitors', async () => {
    const { client, orgId, reader } = await api.tenant()
    const monitor = await createMonitor(client)
    const second = api.clientOf((await api.server.makeKey(orgId, 'full')).key)
    for (const one of [second, await reader(), await reader()]) {
      assert.deepEqual((await one.get('/monitors')).body.data, [monitor])
    }
    assert.equal((await second.delete(`/monitors/${monitor.id}`)).status, 200)
    assert.equal(await total(client), 0)
  })
}
