import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
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

    if (engine === 'postgres') continue
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

  test('name and type have no default', async () => {
    const { client } = await api.tenant()
    expectError(await client.post('/monitors', {}), 'validation_error', ['name', 'type'])
    assert.equal(await total(client), 0)
  })
})
