import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AssignedChecks } from '../../../src/monitoring/checks/assigned-checks.ts'
import { PAGE_SIZE } from '../../../src/monitoring/checks/assignment-taker.ts'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import { saveResult } from '../../../src/monitoring/checks/save-results.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { assignedChecks } from './sources.ts'

const HTTP = { name: 'shop', type: 'HTTP', url: 'http://shop.example/', intervalSeconds: 60 }
const CRON = { name: 'job', type: 'CRON', expectedPeriodSec: 3_600, graceSeconds: 0 }

/** Copies a state without its monitor, never due. */
async function copyState(database: Database, num: number, count: number) {
  const [row] = await database.read(execute(q.selectFrom('monitor_states').selectAll().where('num', '=', num)))
  assert.ok(row !== undefined)
  const rows = Array.from({ length: count }, (_, i) => num + 1_000 + i)
  const copy = { ...row, next_check_at: null }
  for (let from = 0; from < count; from += 1_000) {
    const some = rows.slice(from, from + 1_000).map((copied) => ({ ...copy, num: copied }))
    await database.write(() => execute(q.insertInto('monitor_states').values(some)))
  }
  return { rows }
}

/** A server without a checker: the tests are the nodes. */
function startFixture(engine: Engine) {
  let server: TestServer
  let client: Client

  before(async () => {
    server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server.stop())
  beforeEach(async () => {
    client = server.client((await server.organization('BUSINESS')).key)
    await server.running.database.write(() =>
      execute(q.updateTable('monitor_states').set({ state: 'PAUSED', claimed_by: null })),
    )
  })

  const states = () =>
    server.running.database.read(
      execute(
        q
          .selectFrom('monitor_states as s')
          .innerJoin('monitors as m', 'm.num', 's.num')
          .select(['m.id', 's.num', 's.claimed_by', 's.revision', 's.next_check_at', 's.state'])
          .where('s.state', '!=', 'PAUSED')
          .orderBy('s.num'),
      ),
    )
  const node = (name: string) => assignedChecks(server.running.database, name)
  const gone = (name: string) =>
    server.running.database.write(() => execute(q.deleteFrom('nodes').where('name', '=', name)))
  const created = async (body: object): Promise<{ id: string; heartbeatUrl: string }> => {
    return bodyOf(await client.post('/monitors', body), 201)
  }
  const later = () => Date.now() + 10
  const save = async (by: AssignedChecks, claim: Claim, at = Date.now()) => {
    const sample = { outcome: 'success', responseMs: 5 } as const
    const outcome = await server.running.database.write(() => saveResult({ claim, sample, at }, ''))
    by.settle(claim, outcome, at)
    return typeof outcome === 'object' ? 'saved' : outcome
  }
  return { states, node, gone, created, later, save, client: () => client, database: () => server.running.database }
}

/** The statements are the same on both engines; a server uses them on PostgreSQL only. */
forEachEngine('monitors assigned to nodes', (engine) => {
  const { states, node, created, later, save, client } = startFixture(engine)

  test('a node keeps a monitor from check to check, and writes only the result', async () => {
    const { id } = await created(HTTP)
    const one = await node('one')
    const two = await node('two')
    let at = later()
    for (let round = 0; round < 3; round += 1) {
      const { claims } = await one.takeDue(at, 10)
      assert.deepEqual(
        claims.map(({ monitorId }) => monitorId),
        [id],
      )
      assert.deepEqual((await two.takeDue(at, 10)).claims, [], 'another node gets nothing')
      assert.equal(await save(one, claims[0] as Claim, at), 'saved')
      const [row] = await states()
      assert.deepEqual([row?.claimed_by, row?.revision], ['one', 2 + round])
      assert.deepEqual((await one.takeDue(at, 10)).claims, [], 'it is not due any more')
      at = row?.next_check_at ?? 0
    }
  })

  test('an edited monitor is due at once, on any node, and the result of a check under way is discarded', async () => {
    const { id } = await created(HTTP)
    const one = await node('one')
    const two = await node('two')
    const { claims } = await one.takeDue(later(), 10)
    await client().patch(`/monitors/${id}`, { intervalSeconds: 120 })
    const again = (await two.takeDue(later(), 10)).claims
    assert.equal(again[0]?.settings.intervalSeconds, 120)
    assert.equal(await save(one, claims[0] as Claim), 'stale')
    assert.equal(await save(two, again[0] as Claim), 'saved')
    assert.deepEqual((await one.takeDue(Date.now() + 600_000, 10)).claims, [], 'the first node has dropped it')
  })

  test('the node that has a monitor begins the check of an edited one while an earlier one is under way', async () => {
    const { id } = await created(HTTP)
    const one = await node('one')
    const [first] = (await one.takeDue(later(), 10)).claims
    await client().patch(`/monitors/${id}`, { intervalSeconds: 120 })
    const [second] = (await one.takeDue(later(), 10)).claims
    assert.equal(second?.settings.intervalSeconds, 120)
    assert.equal(await save(one, first as Claim), 'stale')
    assert.equal(await save(one, second as Claim), 'saved')
    assert.equal((await one.takeDue(Date.now() + 600_000, 10)).claims.length, 1, 'and it goes on')
  })

  test('a paused or deleted monitor is not checked', async () => {
    const paused = await created(HTTP)
    const deleted = await created(HTTP)
    const one = await node('one')
    for (const claim of (await one.takeDue(later(), 10)).claims) await save(one, claim)
    await client().post(`/monitors/${paused.id}/pause`, {})
    await client().delete(`/monitors/${deleted.id}`)
    assert.deepEqual((await one.takeDue(Date.now() + 600_000, 10)).claims, [])
    assert.equal(one.size, 0)
  })
})

forEachEngine('monitors that a node does not know of, or no longer has', (engine) => {
  const { states, node, gone, created, later, save, client, database } = startFixture(engine)

  test('the monitors of a node that is gone are taken over, and its late results are discarded', async () => {
    for (let i = 0; i < 3; i += 1) await created(HTTP)
    const one = await node('one')
    const two = await node('two')
    const late = (await one.takeDue(later(), 10)).claims
    assert.deepEqual((await two.takeDue(later(), 10)).claims, [])
    await gone('one')
    const taking = await node('three')
    const { claims } = await taking.takeDue(later(), 10)
    assert.equal(claims.length, 3)
    for (const claim of late) assert.equal(await save(one, claim), 'stale')
    for (const claim of claims) assert.equal(await save(taking, claim), 'saved')
    assert.deepEqual(new Set((await states()).map(({ claimed_by: by }) => by)), new Set(['three']))
    assert.deepEqual((await one.takeDue(Date.now() + 600_000, 10)).claims, [], 'the first node finds out')
  })

  test('the first heartbeat of a job makes its deadline known to the node', async () => {
    const { heartbeatUrl } = await created(CRON)
    const one = await node('one')
    assert.deepEqual((await one.takeDue(later(), 10)).claims, [])
    assert.equal((await states())[0]?.claimed_by, 'one', 'it waits for the first heartbeat')
    assert.equal((await fetch(heartbeatUrl)).status, 200)
    assert.equal((await states())[0]?.claimed_by, null, 'a node has to look')
    assert.deepEqual((await one.takeDue(later(), 10)).claims, [])
    const [row] = await states()
    assert.equal((await fetch(heartbeatUrl)).status, 200)
    assert.equal((await states())[0]?.claimed_by, 'one', 'a later deadline concerns nobody')
    assert.deepEqual((await one.takeDue((row?.next_check_at ?? 0) - 1, 10)).claims, [])
    const overdue = await one.takeDue((row?.next_check_at ?? 0) + 60_000, 10)
    assert.equal(overdue.claims.length, 1, 'the new deadline has passed')
  })

  test('a check by hand moves the schedule of the node on', async () => {
    const { id } = await created(HTTP)
    const one = await node('one')
    const at = later()
    await save(one, (await one.takeDue(at, 10)).claims[0] as Claim, at)
    const [before] = await states()
    // A check that begins before the previous one makes the monitor due sooner, and unassigned.
    while (Date.now() <= at) await setTimeout(1)
    // The probe finds no such host; the result is DOWN or inconclusive.
    assert.equal((await client().post(`/monitors/${id}/check`, {})).status, 200)
    const [row] = await states()
    assert.equal(row?.claimed_by, 'one')
    assert.ok((row?.next_check_at ?? 0) >= (before?.next_check_at ?? 0) - 60_000)
    const { claims } = await one.takeDue((row?.next_check_at ?? 0) + 60_000, 10)
    assert.equal(claims.length, 1)
  })

  test('a node that could not read the answer to an assignment finds its monitors', async () => {
    await created(HTTP)
    const one = await node('one')
    await database().write(() =>
      execute(q.updateTable('monitor_states').set({ claimed_by: 'one' }).where('state', '!=', 'PAUSED')),
    )
    assert.equal((await one.takeDue(later(), 10)).claims.length, 1)
  })

  test('a node compares its list with the database page by page', async () => {
    await created(HTTP)
    const [first] = await states()
    const { rows: numbers } = await copyState(database(), first?.num ?? 0, 2 * PAGE_SIZE)
    let elapsed = 0
    const one = await assignedChecks(database(), 'one', () => elapsed)
    const settled = async (count: number): Promise<void> => {
      for (let tick = 0; tick < 30 && one.size !== count; tick += 1) await one.takeDue(0, 1)
      assert.equal(one.size, count)
    }
    await settled(numbers.length + 1)
    // Without a new revision: only the comparison finds it.
    const [taken = 0, ...rest] = numbers
    await database().write(() =>
      execute(
        q
          .updateTable('monitor_states')
          .set({ claimed_by: 'two' })
          .where('num', 'in', [taken, rest.at(-1) ?? 0]),
      ),
    )
    await one.takeDue(0, 1)
    assert.equal(one.size, numbers.length + 1, 'not before it is time')
    elapsed += 120_000
    await settled(numbers.length - 1)
  })
})
