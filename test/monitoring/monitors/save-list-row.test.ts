import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldCase } from '../../../src/monitoring/monitors/save-list-row.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'

function rows(database: Database) {
  const columns = ['num', 'type', 'state', 'changed_at', 'name_key', 'search_text'] as const
  return database.read(execute(q.selectFrom('monitor_list').select(columns).orderBy('num')))
}

forEachEngine('the row of a monitor in the list', (engine) => {
  const api = useApi(engine)

  test('follows its settings and its state, and is deleted with it', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { database } = api.server.running
    const { id } = await createMonitor(client, smallest('HTTP', { name: 'Straße É', url: target.url }))
    const row = async () => (await rows(database)).at(-1)
    assert.partialDeepStrictEqual(await row(), { state: 'PENDING', type: 'HTTP', name_key: foldCase('Straße É') })
    assert.ok((await row())?.search_text.includes(target.url.toLowerCase()))
    const change = async (path: string, body: object, expected: object) => {
      const answer =
        path === '' ? await client.patch(`/monitors/${id}`, body) : await client.post(`/monitors/${id}${path}`, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.partialDeepStrictEqual(await row(), expected)
    }
    await change('/check', {}, { state: 'UP' })
    target.status = 503
    await change('/check', {}, { state: 'DOWN' })
    const [state] = await database.read(execute(q.selectFrom('monitor_states').selectAll().orderBy('num', 'desc')))
    const [listed] = await database.read(execute(q.selectFrom('monitor_list').selectAll().orderBy('num', 'desc')))
    assert.equal(typeof listed?.changed_at, 'number')
    assert.equal(listed?.changed_at, state?.last_status_changed_at)
    await change('/pause', {}, { state: 'PAUSED' })
    await change('', { name: 'Renamed' }, { state: 'PAUSED', name_key: 'renamed' })
    assert.ok((await row())?.search_text.startsWith('renamed\n'))
    assert.equal((await client.delete(`/monitors/${id}`)).status, 200)
    assert.equal(await row(), undefined)
  })
})
