import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database, NodeRegistry } from '../../../src/storage/database.ts'
import type { ClusterNode, NodeTiming } from '../../../src/storage/nodes/node.ts'
import { startNode } from '../../../src/storage/nodes/start.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Engine, forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { connectTo } from '../../support/postgres.ts'
import { NOW, newQueueDatabase, queue } from '../queue/fixtures.ts'

/** Long enough that no test node is late on a busy machine. */
const timing: NodeTiming = { renewEveryMs: 200, aliveForMs: 2_500, deadAfterMs: 3_500 }

/** A database whose nodes are stopped before it is removed. */
async function newCluster(engine: Engine, rows: number) {
  const base = await newQueueDatabase(engine, rows)
  const nodes: ClusterNode[] = []
  return {
    ...base,
    async start(database = base.database): Promise<ClusterNode> {
      const node = await startNode({ database, clock: systemClock, log: silentLog, tables: [queue], timing })
      nodes.push(node)
      return node
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.stop()
      await base[Symbol.asyncDispose]()
    },
  }
}

const names = async (database: Database) =>
  (await database.read(execute(q.selectFrom('nodes').select('name').orderBy('name')))).map(({ name }) => name)

const claims = async (database: Database) =>
  (await database.read(execute(q.selectFrom('deliveries').select('claimed_by').orderBy('id')))).map(
    ({ claimed_by }) => claimed_by,
  )

forEachEngine('nodes', (engine) => {
  test('what earlier nodes have left is released at the start', async () => {
    await using base = await newCluster(engine, 3)
    const { database } = base
    await database.write(() => queue.claim({ node: 'from an earlier version', now: NOW, limit: 2 }))
    const node = await base.start()
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

async function startThree(base: Awaited<ReturnType<typeof newCluster>>): Promise<readonly ClusterNode[]> {
  const others = [await base.open(), await base.open()]
  return Promise.all([base.start(), ...others.map((database) => base.start(database))])
}

describe('nodes on PostgreSQL', { skip: withoutPostgres }, () => {
  test('a node that stops leaves nothing claimed or locked', async () => {
    await using base = await newCluster('postgres', 2)
    const other = await base.open()
    const [leaving, staying] = [await base.start(other), await base.start()]
    await other.write(() => queue.claim({ node: leaving.name, now: NOW, limit: 1 }))
    assert.ok(await other.tryLock('work'))
    await leaving.stop()
    assert.deepEqual(await claims(base.database), [null, null])
    assert.deepEqual(await names(base.database), [staying.name])
    assert.ok(await base.database.tryLock('work'))
  })

  test('a node whose renewals stop is removed with its claims and locks, by one of the others', async () => {
    await using base = await newCluster('postgres', 3)
    const mortal = await base.open()
    const dying = await base.start(mortal)
    const others = await startThree(base)
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
    for (const node of others) await eventually(async () => assert.equal(node.members().length, others.length))
  })

  test('a node that was declared dead learns it, and joins again under a new name', async () => {
    await using base = await newCluster('postgres', 1)
    const { database } = base
    const node = await base.start()
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
    await eventually(async () => assert.deepEqual(await claims(database), [null]))
  })

  test('a node that was declared dead restarts its work although it could not join or renew at first', async () => {
    await using base = await newCluster('postgres', 1)
    const registry = base.database.nodeRegistry as NodeRegistry
    const faults = ['answer of join lost', 'answer of join lost', 'renewal failed']
    const reported: number[] = []
    let isLost = false
    const database: Database = {
      ...base.database,
      nodeRegistry: {
        async join(name, process) {
          await registry.join(name, process)
          if (isLost && faults[0]?.includes('join')) throw new Error(faults.shift())
        },
        async renew(name, monitors) {
          reported.push(monitors)
          if (isLost && faults[0]?.includes('renewal')) throw new Error(faults.shift())
          return registry.renew(name, monitors)
        },
      },
    }
    const node = await base.start(database)
    let rejoined: string | undefined
    node.subscribe({
      lost: () => (isLost = true),
      rejoined: (name) => (rejoined = name),
    })
    node.reportMonitors(7)
    await eventually(async () => assert.equal(reported.at(-1), 7))
    await database.write(() => execute(q.deleteFrom('nodes')))
    await eventually(async () => assert.equal(rejoined, node.name))
    assert.deepEqual(faults, [])
    assert.equal(reported.at(-1), 0, 'it has no monitors any more')
    assert.ok(node.isAlive())
    // The rows whose answers were lost are not renewed.
    await eventually(async () => assert.deepEqual(await names(database), [node.name]))
  })
})

describe('nodes on PostgreSQL', { skip: withoutPostgres }, () => {
  test('a database that hangs makes no node dead, and none considers itself alive meanwhile', async () => {
    await using base = await newCluster('postgres', 1)
    const nodes = await startThree(base)
    const before = await names(base.database)
    const lost: string[] = []
    const uncertain: string[] = []
    for (const node of nodes) {
      node.subscribe({ lost: () => lost.push(node.name), uncertain: () => uncertain.push(node.name) })
    }
    await using blocker = await connectTo(base.url)
    await blocker.query('begin; lock table nodes')
    await eventually(async () => assert.ok(nodes.every((node) => !node.isAlive())))
    await new Promise((resolve) => setTimeout(resolve, timing.deadAfterMs + 1_000))
    assert.deepEqual(uncertain.toSorted(), before, 'each of them says so once')
    await blocker.query('commit')
    await eventually(async () => assert.ok(nodes.every((node) => node.isAlive())))
    await new Promise((resolve) => setTimeout(resolve, timing.deadAfterMs + 1_000))
    assert.deepEqual(await names(base.database), before)
    assert.deepEqual(lost, [])
  })

  test('a renewal does not wait for a connection of the pool', async () => {
    await using base = await newCluster('postgres', 1)
    const node = await base.start()
    const busy = Array.from({ length: 5 }, () => base.database.read(execute(sleep())))
    const until = performance.now() + timing.aliveForMs + 500
    while (performance.now() < until) {
      assert.ok(node.isAlive())
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await Promise.all(busy)
  })
})

const sleep = () => q.selectNoFrom((is) => is.fn('pg_sleep', [is.val(4)]).as('slept'))
