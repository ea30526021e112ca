import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../src/contract/operation.ts'
import { operations } from '../../src/server/operations/table.ts'
import type { DbWork } from '../../src/storage/query.ts'
import { startApi, useApi } from '../support/api.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { createMonitor, smallest } from '../support/monitors.ts'
import { migratedDatabase } from '../support/postgres.ts'
import type { Answer, Client } from '../support/server.ts'

const MONITORS = 60
const PARALLEL = 30
const CHANGES = 6
/** One runs and ten wait; others are refused. On a busy machine some of the ten wait too long and are refused as well. */
const MOST_ANSWERED = 11

/** The operations of the server. Notes how many bulk changes run at once. */
function watchedOperations() {
  const seen = { running: 0, most: 0 }
  function* watched<T>(work: DbWork<T>): DbWork<T> {
    seen.running += 1
    seen.most = Math.max(seen.most, seen.running)
    try {
      return yield* work
    } finally {
      seen.running -= 1
    }
  }
  const wrapped = operations.map((operation): Operation => {
    if (operation.path !== '/monitors/bulk' || !('handle' in operation)) return operation
    return { ...operation, handle: (context, input) => watched(operation.handle(context, input)) }
  })
  return { seen, operations: wrapped }
}

/** Requests of another organization, one after the other, until the flood has ended. */
async function victimDuring(flood: Promise<Answer[]>, client: Client, id: string): Promise<number[]> {
  let isOver = false
  void flood.finally(() => {
    isOver = true
  })
  const statuses: number[] = []
  while (!isOver) {
    statuses.push((await client.get(`/monitors/${id}`)).status)
    statuses.push((await client.patch(`/monitors/${id}`, { name: `n${statuses.length}` })).status)
  }
  return statuses
}

async function makeMonitors(client: Client, count: number): Promise<string[]> {
  const monitors = Array.from({ length: count }, () => createMonitor(client, smallest('HTTP')))
  return (await Promise.all(monitors)).map(({ id }) => id)
}

function count(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}

forEachEngine('many bulk changes of one organization', (engine) => {
  const { seen, operations } = watchedOperations()
  const api = useApi(engine, { operations })

  test('run one at a time, in short turns, and answer other organizations in between', async () => {
    const [attacker, victim] = [await api.tenant(), await api.tenant()]
    const { id } = await createMonitor(victim.client)
    const monitorIds = await makeMonitors(attacker.client, MONITORS)
    const labels = (run: number) =>
      Object.fromEntries(Array.from({ length: 29 }, (_, i) => [`key-${i}`, `${run}-${i}`]))
    const change = (run: number) =>
      attacker.client.post('/monitors/bulk', { monitorIds, action: 'LABEL', labels: labels(run) })
    assert.equal((await change(-1)).body.changed, MONITORS)

    const turns = measureTurns()
    const flood = Promise.all(Array.from({ length: PARALLEL }, (_, i) => change(i)))
    const statuses = await victimDuring(flood, victim.client, id)
    const longestMs = turns.stop()
    const answers = await flood
    const [done, refused] = [count(answers, 200), count(answers, 429)]
    assert.equal(done + refused, PARALLEL)
    assert.ok(done > 0 && done <= MOST_ANSWERED, `${done} were answered and ${refused} refused`)
    for (const { status, headers, body } of answers) {
      if (status !== 429) continue
      assert.equal(body.error.code, 'rate_limited')
      assert.equal(headers.get('retry-after'), '5')
    }
    assert.equal(seen.most, 1)
    assert.ok(statuses.length >= done / 2, `${statuses.length} requests of the victim were answered`)
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    )
    // Together in one turn they take half a second of CPU time and more.
    assert.ok(longestMs < 150, `a turn of the event loop took ${longestMs} ms`)
  })

  test('change the contacts of many monitors without an error for anybody', async () => {
    const [attacker, victim] = [await api.tenant(), await api.tenant()]
    const { id } = await createMonitor(victim.client)
    const monitorIds = await makeMonitors(attacker.client, 20)
    const contactIds: string[] = []
    for (let i = 0; i < 10; i += 1) {
      const settings = { url: 'https://example.com/' }
      const contact = { name: `c${i}`, channel: 'WEBHOOK', settings, covers: 'CHOSEN' }
      contactIds.push((await attacker.client.post('/contacts', contact)).body.id)
    }
    const attach = { monitorIds, attachContactIds: contactIds }
    const detach = { monitorIds, detachContactIds: contactIds }
    const flood = Promise.all(
      Array.from({ length: CHANGES }, (_, i) => attacker.client.patch('/monitors/bulk', i % 2 === 0 ? attach : detach)),
    )
    const statuses = await victimDuring(flood, victim.client, id)
    assert.deepEqual(new Set(statuses), new Set([200]))
    const answers = await flood
    const [done, refused] = [answers.filter(({ status }) => status === 200), count(answers, 429)]
    assert.equal(done.length + refused, CHANGES)
    assert.ok(done.length > 0)
    for (const { body } of done) {
      assert.deepEqual([body.changed + body.unchanged, body.failed], [20, 0])
      // In order, so each finds what the one before has changed.
      if (refused === 0) assert.equal(body.changed, 20)
    }
    assert.equal(seen.most, 1)
  })
})

test('bulk changes of one organization run one at a time on all nodes', { skip: withoutPostgres }, async () => {
  await using database = await migratedDatabase()
  const { seen, operations } = watchedOperations()
  const options = { databaseUrl: database.url, operations }
  const [one, two] = [await startApi('postgres', options), await startApi('postgres', options)]
  await using _one = one.server
  await using _two = two.server
  const { key, client } = await one.tenant()
  const monitorIds = await makeMonitors(client, 10)
  const change = (i: number) =>
    (i % 2 === 0 ? one : two).clientOf(key).post('/monitors/bulk', { monitorIds, action: i < 3 ? 'PAUSE' : 'RESUME' })
  const answers = await Promise.all(Array.from({ length: CHANGES }, (_, i) => change(i)))
  assert.ok(count(answers, 200) > 0)
  assert.equal(count(answers, 200) + count(answers, 429), CHANGES)
  assert.equal(seen.most, 1)
})
