import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import {
  blockWrites,
  checkCounts,
  expectNoIncident,
  metricsEnv,
  nextFailedWrite,
  nextWrite,
  statesOf,
  watchRequest,
} from './faults.ts'
import { resultsOf } from './stored-history.ts'

const COUNT = 6
const NOON = Date.UTC(2026, 5, 1, 12)

/** A server with this many checks under way, whose target has not answered yet. */
async function checking(engine: Engine, target: HttpTarget, count = COUNT) {
  const clock = new HandClock(NOON)
  const server = await startTestServer(engine, { env: metricsEnv, clock })
  const client = server.client()
  const answer = target.hold()
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push((await createMonitor(client, smallest('HTTP', { url: target.url }))).id)
  await eventually(async () => assert.equal(target.visits, count))
  return { server, client, clock, answer, ids }
}

/** Every result was saved once, and none was inconclusive. */
async function expectSaved(server: TestServer, client: Client, ids: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await statesOf(client), Array(COUNT).fill('UP')))
  await expectNoIncident(client)
  for (const id of ids) assert.equal((await resultsOf(server, id)).length, 1)
  await eventually(async () => {
    assert.deepEqual(await checkCounts(server), { saved: COUNT, stale: 0, inconclusive: 0, underWay: 0 })
  })
}

/** Makes writing results UP fail, of all organizations or one, until the returned function is called. */
async function refuseResults({ running: { database } }: TestServer, orgId?: string) {
  const run = (text: string) => database.write(() => execute(sql.raw(text)))
  const condition = `new.state = 'UP'${orgId === undefined ? '' : ` and new.org_id = '${orgId}'`}`
  if (database.engine === 'sqlite') {
    await run(`create trigger refuse before update on monitor_states when ${condition}
      begin select raise(abort, 'refused'); end`)
    return () => run('drop trigger refuse')
  }
  await run(`alter table monitor_states add constraint refused check (not (${condition.replaceAll('new.', '')}))`)
  return () => run('alter table monitor_states drop constraint refused')
}

forEachEngine('a database that is busy or broken while checks end', (engine) => {
  test('while another process writes no monitor goes DOWN, and every result is saved afterwards', async (t) => {
    await using target = await startHttpTarget()
    const { server, client, answer, ids } = await checking(engine, target)
    try {
      await using holder = await blockWrites(server.running.database)
      const attempted = nextWrite(t, server)
      answer()
      await attempted
      assert.deepEqual(await statesOf(client), Array(COUNT).fill('PENDING'), 'nothing could be written')
      await expectNoIncident(client)
      assert.equal((await checkCounts(server)).underWay, COUNT, 'their results are waiting')
      await holder.release()
      await expectSaved(server, client, ids)
    } finally {
      await server.stop()
    }
  })

  test('a check by hand waits for the write lock, and answers with the state after the check', async (t) => {
    await using target = await startHttpTarget()
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    const client = server.client()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const requestWaits = watchRequest(t, server)
    const answer = target.hold()
    const visited = target.visited()
    const asked = client.post(`/monitors/${id}/check`, {})
    await visited
    await using holder = await blockWrites(server.running.database)
    const attempted = requestWaits()
    answer()
    await attempted
    assert.equal((await client.get(`/monitors/${id}`)).body.state, 'PENDING')
    await holder.release()
    const { status, body } = await asked
    assert.deepEqual([status, body.state], [200, 'UP'])
    await expectNoIncident(client)
  })

  test('results that cannot be written are retried until they can be', async (t) => {
    await using target = await startHttpTarget()
    const { server, client, answer, ids } = await checking(engine, target)
    try {
      const restore = await refuseResults(server)
      const failed = nextFailedWrite(t, server)
      answer()
      await failed
      assert.deepEqual(await statesOf(client), Array(COUNT).fill('PENDING'), 'a state is written with its result')
      await restore()
      await expectSaved(server, client, ids)
    } finally {
      await server.stop()
    }
  })

  test('a result that can never be written is given up after a minute, counted as inconclusive, and the check repeated', async () => {
    await using target = await startHttpTarget()
    const { server, client, clock, answer } = await checking(engine, target, 1)
    try {
      const restore = await refuseResults(server)
      answer()
      await eventually(async () => {
        // Repeated, because the minute begins with the first attempt to write.
        clock.advance(61_000)
        assert.ok((await checkCounts(server)).inconclusive >= 1, 'it was given up')
      })
      assert.deepEqual(await statesOf(client), ['PENDING'])
      await expectNoIncident(client)
      await restore()
      // On PostgreSQL the lease of the check has to end.
      clock.advance(180_000)
      await eventually(async () => assert.deepEqual(await statesOf(client), ['UP']))
      await expectNoIncident(client)
      assert.ok(target.visits > 1, 'the target was checked again')
    } finally {
      await server.stop()
    }
  })

  test('a result that cannot be written does not block other results', async () => {
    await using target = await startHttpTarget()
    const clock = new HandClock(NOON)
    await using server = await startTestServer(engine, { env: metricsEnv, clock })
    const refused = await server.organization('FREE')
    const free = server.client(refused.key)
    const other = server.client((await server.organization('STARTER')).key)
    const answer = target.hold()
    for (let i = 0; i < 5; i += 1) {
      for (const client of [free, other]) await createMonitor(client, smallest('HTTP', { url: target.url }))
    }
    await eventually(async () => assert.equal(target.visits, 10))
    const restore = await refuseResults(server, refused.orgId)
    answer()
    try {
      await eventually(async () => assert.deepEqual(await statesOf(other), Array(5).fill('UP')))
    } finally {
      await restore()
    }
  })
})
