import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { fieldRules } from '../../support/monitor-fields.ts'
import { createMonitor, current, expectError, ofAnyType, without } from '../../support/monitors.ts'

forEachEngine('the fields of an update', (engine) => {
  const api = useApi(engine)

  for (const { field, accepts, refuses } of fieldRules) {
    test(`an update of ${field} keeps every permitted value and leaves the other settings alone`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, field === 'type' ? ofAnyType('CRON') : { name: 'Plain', type: 'CRON' })
      for (const value of accepts) {
        const answer = await client.patch(`/monitors/${before.id}`, { [field]: value })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        // A monitor of another type starts over, with another way to reach it.
        const moving = ['updatedAt', ...(field === 'type' ? ['heartbeatUrl', 'lastStatusChangedAt'] : [])]
        assert.deepEqual(without(answer.body, ...moving), without({ ...before, [field]: value }, ...moving))
        assert.deepEqual(await current(client, before.id), answer.body)
      }
    })

    if (engine === 'postgres') continue
    test(`an update refuses ${field} beyond its bounds or of another type, and changes nothing`, async () => {
      const { client } = await api.tenant()
      const before = await createMonitor(client, ofAnyType('CRON'))
      for (const { value, path } of refuses) {
        const answer = await client.patch(`/monitors/${before.id}`, { [field]: value })
        assert.equal(answer.status, 400, `${field}: ${JSON.stringify(value).slice(0, 60)}`)
        expectError(answer, 'validation_error', [path])
      }
      assert.deepEqual(await current(client, before.id), before)
    })
  }
})
