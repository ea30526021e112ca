import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { monitorDefaults } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { fieldRules } from '../../support/monitor-fields.ts'
import { createMonitor, current, expectError, ofAnyType, total } from '../../support/monitors.ts'

/** CRON needs no target, so a field of any type can be tried on it by itself. */
const plain = { name: 'Plain', type: 'CRON' }

forEachEngine('the fields of a creation', (engine) => {
  const api = useApi(engine)

  for (const { field, accepts, refuses } of fieldRules) {
    test(`create keeps every permitted value of ${field}`, async () => {
      const { client } = await api.tenant()
      for (const value of accepts) {
        const body = field === 'type' ? ofAnyType('CRON', { type: value }) : { ...plain, [field]: value }
        const monitor = await createMonitor(client, body)
        assert.deepEqual(monitor[field], value)
        assert.deepEqual(await current(client, monitor.id), monitor)
      }
      assert.equal(await total(client), accepts.length)
    })

    test(`create refuses ${field} beyond its bounds or of another type, and creates nothing`, async () => {
      const { client } = await api.tenant()
      for (const { value, path } of refuses) {
        const body = field === 'type' ? ofAnyType('CRON', { type: value }) : { ...plain, [field]: value }
        const answer = await client.post('/monitors', body)
        assert.equal(answer.status, 400, `${field}: ${JSON.stringify(value).slice(0, 60)}`)
        expectError(answer, 'validation_error', [path])
      }
      assert.equal(await total(client), 0)
    })
  }

  for (const field of ['name', 'type']) {
    test(`create refuses a body without ${field}, which has no default`, async () => {
      const { client } = await api.tenant()
      const { [field]: _, ...body } = plain as Record<string, unknown>
      expectError(await client.post('/monitors', body), 'validation_error', [field])
      assert.equal(await total(client), 0)
    })
  }

  test('every field but name and type has the default of the specification', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, plain)
    const { id, heartbeatUrl, createdAt, updatedAt, ...rest } = monitor
    assert.deepEqual(rest, {
      ...plain,
      ...monitorDefaults,
      state: 'PENDING',
      lastCheckedAt: null,
      lastStatusChangedAt: null,
      lastResponseMs: null,
      certExpiresAt: null,
    })
  })
})
