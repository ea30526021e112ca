import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { claim } from '../../support/person.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { resultsOf } from '../checks/stored-history.ts'
import { pruneResults } from './prune-results.ts'

const START = Date.UTC(2025, 0, 1)

forEachEngine('PHAROS_RAW_RESULTS_DAYS', (engine) => {
  test('is how long raw results are kept on the plan SELF_HOSTED, and on no other', async () => {
    const clock = new HandClock(START)
    await using target = await startHttpTarget()
    const { server, tenant } = await startApi(engine, {
      clock,
      env: { PHAROS_RAW_RESULTS_DAYS: '7' },
    })
    await using _ = server
    const ids: string[] = []
    for (const plan of ['SELF_HOSTED', 'STARTER'] as const) {
      const { client } = await tenant(plan)
      const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
      assert.equal((await client.post(`/monitors/${id}/check`, {})).status, 200)
      // The first result of a day moves those of the day before out of the state row.
      clock.advance(DAY_MS)
      assert.equal((await client.post(`/monitors/${id}/check`, {})).status, 200)
      clock.advance(-DAY_MS)
      ids.push(id)
    }
    const left = async (at: number): Promise<number[]> => {
      await pruneResults(server.running.database, at)
      return Promise.all(ids.map(async (id) => (await resultsOf(server, id)).length))
    }
    assert.deepEqual(await left(START + 8 * DAY_MS - 1), [2, 2])
    assert.deepEqual(await left(START + 8 * DAY_MS), [1, 2])
    const owner = await claim(server)
    assert.equal((await owner.get('/v1/usage')).body.rawResultsDays, 7)
  })

  test('is 90 where it is not set', async () => {
    const { server } = await startApi(engine, { clock: new HandClock(START) })
    await using _ = server
    assert.equal((await (await claim(server)).get('/v1/usage')).body.rawResultsDays, 90)
  })
})
