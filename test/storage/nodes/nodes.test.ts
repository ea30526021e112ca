import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import type { ClusterNode, NodeTiming } from '../../../src/storage/nodes/node.ts'
import { startNode } from '../../../src/storage/nodes/start.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { NOW, newQueueDatabase, queue } from '../queue/fixtures.ts'

const timing: NodeTiming = { renewEveryMs: 100, aliveForMs: 700, deadAfterMs: 900 }

function start(database: Database): Promise<ClusterNode> {
  return startNode({ database, clock: systemClock, log: silentLog, tables: [queue], timing })
}

const names = async (database: Database) =>
  (await database.read(execute(q.selectFrom('nodes').select('name').orderBy('name')))).map(({ name }) => name)

const claims = async (database: Database) =>
  (await database.read(execute(q.selectFrom('subscriber_notices').select('claimed_by').orderBy('id')))).map(
    ({ claimed_by }) => claimed_by,
  )

forEachEngine('nodes', (engine) => {
  test('what earlier nodes have left is released at the start', async () => {
    await using base = await newQueueDatabase(engine, 3)
    const { database } = base
    await database.write(() => queue.claim({ node: 'from an earlier version', now: NOW, limit: 2 }))
    const node = await start(database)
    assert.deepEqual(await claims(database), [null, null, null])
    assert.ok(node.isAlive())
    assert.deepEqual(
      node.members().map(({ name }) => name),
      [node.name],
    )
    await node.stop()
    assert.deepEqual(await names(database), [])
  })
})

describe('nodes on PostgreSQL', { skip: withoutPostgres }, () => {
  test('a node that stops leaves nothing claimed or locked', async () => {
    await using base = await newQueueDatabase('postgres', 2)
    const other = await base.open()
    const [leaving, staying] = [await start(other), await start(base.database)]
    await other.write(() => queue.claim({ node: leaving.name, now: NOW, limit: 1 }))
    assert.ok(await other.tryLock('work'))
    await leaving.stop()
    assert.deepEqual(await claims(base.database), [null, null])
    assert.deepEqual(await names(base.database), [staying.name])
    assert.ok(await base.database.tryLock('work'))
    await staying.stop()
  })

  test('a node whose heartbeat stops is removed with its claims and locks, by one of the others', async () => {
    await using base = await newQueueDatabase('postgres', 3)
    const mortal = await base.open()
    const dying = await start(mortal)
    const others = await Promise.all([base.database, await base.open(), await base.open()].map(start))
    let released = 0
    for (const node of others) node.subscribe({ released: () => (released += 1) })
    await mortal.write(() => queue.claim({ node: dying.name, now: NOW, limit: 2 }))
    assert.ok(await mortal.tryLock('work'))
    await mortal.close()
    await eventually(async () => assert.deepEqual(await claims(base.database), [null, null, null]))
    assert.deepEqual(await names(base.database), others.map(({ name }) => name).sort())
    assert.ok(await base.database.tryLock('work'))
    await eventually(async () => assert.equal(released, 1))
    await eventually(async () => assert.ok(!dying.isAlive()))
    for (const node of others) {
      await eventually(async () => assert.equal(node.members().length, others.length))
      await node.stop()
    }
    await dying.stop()
  })

  test('a node that was declared dead learns it, and joins again under a new name', async () => {
    await using base = await newQueueDatabase('postgres', 1)
    const { database } = base
    const node = await start(database)
    const { name } = node
    const heard: string[] = []
    node.subscribe({
      lost: () => heard.push(`lost, ${node.isAlive() ? 'alive' : 'not alive'}`),
      rejoined: (newName) => heard.push(`rejoined as ${newName === node.name ? 'another' : 'nobody'}`),
    })
    await database.write(() => execute(q.deleteFrom('nodes')))
    await eventually(async () => assert.deepEqual(heard, ['lost, not alive', 'rejoined as another']))
    assert.notEqual(node.name, name)
    assert.ok(node.isAlive())
    assert.deepEqual(await names(database), [node.name])
    // A claim that it wrote before it knew is released.
    await database.write(() => queue.claim({ node: name, now: NOW, limit: 1 }))
    await eventually(async () => assert.deepEqual(await claims(database), [null]), 10_000)
    await node.stop()
  })

  test('a database that hangs makes no node dead, and none considers itself alive meanwhile', async () => {
    await using base = await newQueueDatabase('postgres', 1)
    const nodes = await Promise.all([base.database, await base.open(), await base.open()].map(start))
    const before = await names(base.database)
    const lost: string[] = []
    for (const node of nodes) node.subscribe({ lost: () => lost.push(node.name) })
    const blocker = new pg.Client(base.url)
    await blocker.connect()
    await blocker.query('begin; lock table nodes')
    await eventually(async () => assert.ok(nodes.every((node) => !node.isAlive())))
    await new Promise((resolve) => setTimeout(resolve, 2 * timing.deadAfterMs))
    await blocker.query('commit')
    await eventually(async () => assert.ok(nodes.every((node) => node.isAlive())))
    await new Promise((resolve) => setTimeout(resolve, 2 * timing.deadAfterMs))
    assert.deepEqual(await names(base.database), before)
    assert.deepEqual(lost, [])
    await blocker.end()
    for (const node of nodes) await node.stop()
  })

  test('a heartbeat does not wait for a connection of the pool', async () => {
    await using base = await newQueueDatabase('postgres', 1)
    const node = await start(base.database)
    const busy = Array.from({ length: 5 }, () => base.database.read(execute(sleep())))
    const until = performance.now() + 2 * timing.aliveForMs
    while (performance.now() < until) {
      assert.ok(node.isAlive())
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await Promise.all(busy)
    await node.stop()
  })
})

const sleep = () => q.selectNoFrom((is) => is.fn('pg_sleep', [is.val(2)]).as('slept'))
