import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  createMonitor,
  current,
  expectError,
  type MonitorBody,
  ofAnyType,
  total,
  without,
} from '../../support/monitors.ts'
import { fieldRules } from './field-rules.ts'

/** CRON needs no target, so a field of any type can be tried on it by itself. */
const plain = { name: 'Plain', type: 'CRON' }

forEachEngine('the fields of a monitor', (engine) => {
  const api = useApi(engine)

  for (const { field, accepts, refuses } of fieldRules) {
    const bodyWith = (value: unknown): MonitorBody =>
      field === 'type' ? ofAnyType('CRON', { type: value }) : { ...plain, [field]: value }
    // A monitor of another type starts over, with another way to reach it.
    const moving = ['updatedAt', ...(field === 'type' ? ['heartbeatUrl', 'lastStatusChangedAt'] : [])]

    test(`every permitted value of ${field} is kept, by a creation and by an update, which leaves other settings alone`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, field === 'type' ? ofAnyType('CRON') : plain)
      for (const value of accepts) {
        const monitor = await createMonitor(client, bodyWith(value))
        assert.deepEqual(monitor[field], value)
        assert.deepEqual(await current(client, monitor.id), monitor)
        const answer = await client.patch(`/monitors/${before.id}`, { [field]: value })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        assert.deepEqual(without(answer.body, ...moving), without({ ...before, [field]: value }, ...moving))
        assert.deepEqual(await current(client, before.id), answer.body)
      }
      assert.equal(await total(client), accepts.length + 1)
    })

    if (engine === 'postgres') continue
    test(`${field} beyond its bounds or of another type is refused, and nothing is created or changed`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, ofAnyType('CRON'))
      for (const { value, path } of refuses) {
        for (const answer of [
          await client.post('/monitors', bodyWith(value)),
          await client.patch(`/monitors/${before.id}`, { [field]: value }),
        ]) {
          assert.equal(answer.status, 400, `${field}: ${JSON.stringify(value).slice(0, 60)}`)
          expectError(answer, 'validation_error', [path])
        }
      }
      assert.equal(await total(client), 1)
      assert.deepEqual(await current(client, before.id), before)
    })
  }

  test('name and type have no default', async () => {
    const { client } = await api.tenant()
    expectError(await client.post('/monitors', {}), 'validation_error', ['name', 'type'])
    assert.equal(await total(client), 0)
  })
})
