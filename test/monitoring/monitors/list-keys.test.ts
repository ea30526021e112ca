import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldCase } from '../../../src/lib/text.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'

forEachEngine('what the monitor list is searched and sorted by', (engine) => {
  const api = useApi(engine)

  test('follows the settings, in lower case', async () => {
    const { client } = await api.tenant()
    const { database } = api.server.running
    const url = 'https://Example.com/Path'
    const { id } = await createMonitor(client, smallest('HTTP', { name: 'Straße É', url }))
    const keys = async () => {
      const columns = q.selectFrom('monitors').select(['name_key', 'target_key']).where('id', '=', id)
      return (await database.read(execute(columns)))[0]
    }
    assert.deepEqual(await keys(), { name_key: foldCase('Straße É'), target_key: 'https://example.com/path' })
    const change = async (method: 'patch' | 'post', path: string, body: object, expected: object) => {
      const answer = await client[method](`/monitors/${id}${path}`, body)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      assert.deepEqual(await keys(), expected)
    }
    const renamed = { name_key: 'renamed', target_key: 'https://example.com/path' }
    await change('patch', '', { name: 'Renamed' }, renamed)
    await change('post', '/pause', {}, renamed)
    await change('patch', '', { url: 'https://OTHER.example/' }, { ...renamed, target_key: 'https://other.example/' })
  })
})
