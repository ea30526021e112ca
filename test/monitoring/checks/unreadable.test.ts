import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { createLog } from '../../../src/lib/log.ts'
import { startChecker } from '../../../src/monitoring/checks/checker.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { FAILED_RETRY_MS } from '../../../src/storage/queue/crash-delay.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestServer } from '../../support/server.ts'
import { sourceOn } from './sources.ts'

forEachEngine('a due check that cannot be read', (engine) => {
  test('is postponed and logged, and the others are made', async () => {
    // Without a checker of its own.
    const server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => server.stop())
    const { database } = server.running
    const client = server.client()
    const ids: string[] = []
    for (const name of ['memory', 'settings', 'sound']) {
      ids.push((await client.post('/monitors', { name, type: 'HTTP', url: 'http://shop.example/' })).body.id)
    }
    const rows = async () =>
      database.read(
        execute(
          q
            .selectFrom('monitor_states as s')
            .innerJoin('monitors as m', 'm.num', 's.num')
            .select(['m.id', 's.num', 's.state', 's.next_check_at', 's.claimed_by'])
            .orderBy('s.num'),
        ),
      )
    const [memory, settings] = await rows()
    await database.write(function* () {
      yield* execute(
        q
          .updateTable('monitor_states')
          .set({ memory: '{' })
          .where('num', '=', memory?.num ?? 0),
      )
      yield* execute(
        q
          .updateTable('monitors')
          .set({ settings: '{' })
          .where('num', '=', settings?.num ?? 0),
      )
    })
    const lines: string[] = []
    const before = Date.now()
    const checker = startChecker({
      database,
      clock: systemClock,
      baseUrl: () => '',
      capacity: 10,
      source: await sourceOn(database),
      log: createLog('error', { write: (line) => void lines.push(line) }),
      runProbe: async () => ({ outcome: 'success', responseMs: 1 }),
      counts: { saved() {}, stale() {}, inconclusive() {} },
    })
    cleanUp.defer(() => checker.stop())
    await eventually(async () => {
      const found = await rows()
      assert.deepEqual(
        found.map(({ id, state, claimed_by: by }) => [id, state, by]),
        ids.map((id, i) => [id, i === 2 ? 'UP' : 'PENDING', engine === 'sqlite' ? null : 'a']),
      )
      for (const { next_check_at: at } of found) assert.ok((at ?? 0) >= before + FAILED_RETRY_MS)
    })
    assert.equal(lines.filter((line) => line.includes('cannot be read')).length, 2)
  })
})
