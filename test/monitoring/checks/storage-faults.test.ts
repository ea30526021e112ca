import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { partitionName } from '../../../src/monitoring/checks/raw-results.ts'
import { execute } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { made, smallest } from '../../support/monitors.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'
import { counted, expectNoIncident, holdWriters, showMetrics, statesOf } from './faults.ts'
import { rawResultsOf } from './stored-history.ts'

const COUNT = 6
const BUSY_MS = 1_500
/** Far from midnight: a result belongs to the part of its day. */
const NOON = Date.UTC(2026, 5, 1, 12)

/** A server that is checking so many monitors, whose target has not answered yet. */
async function checking(engine: Engine, target: HttpTarget, count = COUNT) {
  const clock = new HandClock(NOON)
  const server = await startTestServer(engine, { env: showMetrics, clock })
  const client = server.client()
  const answer = target.hold()
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) ids.push((await made(client, smallest('HTTP', { url: target.url }))).id)
  await eventually(async () => assert.equal(target.visits, count))
  return { server, client, clock, answer, ids }
}

/** Everything landed once, and nothing of what was in its way shows. */
async function expectLanded(server: TestServer, client: Client, ids: readonly string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await statesOf(client), Array(COUNT).fill('UP')))
  await expectNoIncident(client)
  for (const id of ids) assert.equal((await rawResultsOf(server, id)).length, 1)
  await eventually(async () => {
    assert.deepEqual(await counted(server), { landed: COUNT, overtaken: 0, inconclusive: 0, underWay: 0 })
  })
}

/** Takes away the table that the present day's results of some plans are appended to, so that writing one fails. */
async function hidePart({ running: { database } }: TestServer, now: number, keepDays = 90) {
  const part = partitionName(now, keepDays)
  const rename = (from: string, to: string) =>
    database.write(() => execute(sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`))
  await rename(part, 'out_of_reach')
  return async () => {
    await rename('out_of_reach', part)
  }
}

forEachEngine('a database that is busy or broken while checks end', (engine) => {
  test('somebody else is writing for some seconds: nobody goes DOWN, and every result lands afterwards', async () => {
    await using target = await startHttpTarget()
    const { server, client, answer, ids } = await checking(engine, target)
    try {
      await using holder = await holdWriters(server.running.database)
      answer()
      await setTimeout(BUSY_MS)
      assert.deepEqual(await statesOf(client), Array(COUNT).fill('PENDING'), 'nothing could be written')
      await expectNoIncident(client)
      assert.equal((await counted(server)).underWay, COUNT, 'their results are waiting')
      await holder.release()
      await expectLanded(server, client, ids)
    } finally {
      await server.stop()
    }
  })

  test('a check by hand waits for its turn to write, and answers with the state after it', async () => {
    await using target = await startHttpTarget()
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    const client = server.client()
    const { id } = await made(client, smallest('HTTP', { url: target.url }))
    const answer = target.hold()
    const visited = target.visited()
    const asked = client.post(`/monitors/${id}/check`, {})
    await visited
    await using holder = await holdWriters(server.running.database)
    answer()
    await setTimeout(BUSY_MS / 3)
    assert.equal((await client.get(`/monitors/${id}`)).body.state, 'PENDING')
    await holder.release()
    const { status, body } = await asked
    assert.deepEqual([status, body.state], [200, 'UP'])
    await expectNoIncident(client)
  })

  test('results that the database refuses are tried again until it takes them', async () => {
    await using target = await startHttpTarget()
    const { server, client, clock, answer, ids } = await checking(engine, target)
    try {
      const giveBack = await hidePart(server, clock.now())
      answer()
      await setTimeout(BUSY_MS / 2)
      assert.deepEqual(await statesOf(client), Array(COUNT).fill('PENDING'), 'a state is written with its result')
      await giveBack()
      await expectLanded(server, client, ids)
    } finally {
      await server.stop()
    }
  })

  test('a result that can never be written is given up after a minute, counted, and the check repeated', async () => {
    await using target = await startHttpTarget()
    const { server, client, clock, answer } = await checking(engine, target, 1)
    try {
      const giveBack = await hidePart(server, clock.now())
      answer()
      await eventually(async () => {
        // The minute begins with the first attempt to write, and nobody sees when that is.
        clock.advance(61_000)
        assert.ok((await counted(server)).inconclusive >= 1, 'it was given up')
      })
      assert.deepEqual(await statesOf(client), ['PENDING'])
      await expectNoIncident(client)
      await giveBack()
      // Where nodes share the schedule, the claim of a check that was given up ends by itself.
      clock.advance(180_000)
      await eventually(async () => assert.deepEqual(await statesOf(client), ['UP']))
      await expectNoIncident(client)
      assert.ok(target.visits > 1, 'the target was looked at again')
    } finally {
      await server.stop()
    }
  })

  test('a result that cannot be written keeps no other waiting', async () => {
    await using target = await startHttpTarget()
    const clock = new HandClock(NOON)
    await using server = await startTestServer(engine, { env: showMetrics, clock })
    const free = server.client((await server.organization('FREE')).key)
    const other = server.client((await server.organization('STARTER')).key)
    const answer = target.hold()
    for (let i = 0; i < 5; i += 1) {
      for (const client of [free, other]) await made(client, smallest('HTTP', { url: target.url }))
    }
    await eventually(async () => assert.equal(target.visits, 10))
    const giveBack = await hidePart(server, clock.now(), 30)
    answer()
    try {
      await eventually(async () => assert.deepEqual(await statesOf(other), Array(5).fill('UP')), 2_500)
    } finally {
      await giveBack()
    }
  })
})
