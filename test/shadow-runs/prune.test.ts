import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneRuns } from '../../src/shadow-runs/runs.ts'
import { execute, q } from '../../src/storage/query.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'

const DAY_MS = 86_400_000
const BATCH = 500

forEachEngine('a shadow run that ended 90 days ago', (engine) => {
  const api = useApi(engine)

  test('is deleted in portions, its changes first; later ones stay', async () => {
    const { client } = await api.tenant()
    const { database } = api.server.running
    const ids: string[] = []
    for (const tool of ['KUMA', 'GATUS']) {
      const { body } = await client.post('/shadow-runs', { tool, url: 'http://127.0.0.1:9/' })
      ids.push(body.id)
    }
    const now = Date.now()
    for (const [i, id] of ids.entries()) {
      const ended_at = i === 0 ? now - 91 * DAY_MS : now - 89 * DAY_MS
      await database.write(function* () {
        yield* execute(q.updateTable('shadow_runs').set({ ended_at }).where('id', '=', id))
        const [run] = yield* execute(q.selectFrom('shadow_runs').select('org_id').where('id', '=', id))
        const spans = Array.from({ length: 1_200 }, (_, num) => {
          return { org_id: run?.org_id ?? '', run_id: id, num, from_at: 0, until_at: 1, theirs: 'UP', ours: 'UP' }
        })
        yield* execute(q.insertInto('shadow_spans').values(spans))
      })
    }
    const deleted: number[] = []
    do deleted.push(await database.write(() => pruneRuns(now, BATCH)))
    while (deleted.at(-1) !== 0)
    assert.deepEqual(deleted, [500, 500, 200, 1, 0])
    const left = await database.read(execute(q.selectFrom('shadow_spans').select('run_id').distinct()))
    assert.deepEqual(left, [{ run_id: ids[1] }])
    assert.equal((await client.get(`/shadow-runs/${ids[0]}`)).status, 404)
    assert.equal((await client.get(`/shadow-runs/${ids[1]}`)).status, 200)
  })
})
