import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'

forEachEngine('the stored settings of a monitor', (engine) => {
  const api = useApi(engine)

  test('have each value once, and none of the state or of the API', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 3600 }))
    const row = await stored(id)
    assert.deepEqual(
      [row.type, row.interval_seconds, row.expected_period_seconds, row.grace_seconds],
      ['CRON', 300, 3600, 60],
    )
    const inColumns = ['name', 'type', 'intervalSeconds', 'expectedPeriodSec', 'graceSeconds']
    const ofTheApi = ['id', 'createdAt', 'updatedAt', 'heartbeatUrl', 'state', 'lastCheckedAt']
    for (const field of [...inColumns, ...ofTheApi]) assert.ok(!(field in JSON.parse(row.settings)), field)
  })

  test('need no rewriting when a field is added: a row without it has the default, in the same place', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    const before = await client.get(`/monitors/${id}`)
    const { verifySsl: _verifySsl, dnsRecordType: _dnsRecordType, ...others } = JSON.parse((await stored(id)).settings)
    await api.server.running.database.write(() =>
      execute(
        q
          .updateTable('monitors')
          .set({ settings: JSON.stringify(others) })
          .where('id', '=', id),
      ),
    )
    const after = await client.get(`/monitors/${id}`)
    assert.equal(JSON.stringify(after.body), JSON.stringify(before.body))
    assert.equal((await client.patch(`/monitors/${id}`, { verifySsl: true })).body.updatedAt, before.body.updatedAt)
  })

  async function stored(id: string) {
    const query = q.selectFrom('monitors').selectAll().where('id', '=', id)
    const [row] = await api.server.running.database.read(execute(query))
    assert.ok(row)
    return row
  }
})
