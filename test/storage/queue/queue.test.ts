import assert from 'node:assert/strict'
import { test } from 'node:test'
import { first, run, statement } from '../../../src/storage/query.ts'
import type { Lease } from '../../../src/storage/queue/queue.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { addNode, releaseOrphaned } from '../../support/nodes.ts'
import { connectTo } from '../../support/postgres.ts'
import { idOf, LEASE_MS, NOW, newQueueDatabase, queue } from './fixtures.ts'

type NoticeLease = Lease<'deliveries', 'id'>
const fail = statement((lease: NoticeLease) => queue.updateClaimed(lease).set({ attempts: 99 }))
const lock = statement((lease: NoticeLease) => queue.selectClaimed(lease).select('id').forNoKeyUpdate())

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort()

forEachEngine('claiming', (engine) => {
  test('the longest due rows are claimed, up to the limit, with the declared columns and a lease', async () => {
    await using base = await newQueueDatabase(engine, 5)
    const claims = await base.database.write(() => queue.claim({ node: 'a', now: NOW, limit: 2 }))
    assert.deepEqual(
      claims.toSorted((one, other) => one.attempts - other.attempts),
      [0, 1].map((i) => ({ id: idOf(i), attempts: i, crashes: 0, node: 'a', until: NOW + LEASE_MS })),
    )
    assert.partialDeepStrictEqual(await base.row(idOf(0)), { claimed_by: 'a', due_at: NOW + LEASE_MS })
    assert.partialDeepStrictEqual(await base.row(idOf(2)), { claimed_by: null })
  })

  test('nothing is claimed without room, before it is due, or that the filter excludes', async () => {
    await using base = await newQueueDatabase(engine, 5)
    const claim = (request: Parameters<typeof queue.claim>[0]) => base.database.write(() => queue.claim(request))
    assert.deepEqual(await claim({ node: 'a', now: NOW, limit: 0 }), [])
    assert.deepEqual(await claim({ node: 'a', now: NOW - 1_001, limit: 5 }), [])
    assert.equal(await base.database.read(queue.isAnyDue(NOW - 1_001)), false)
    assert.equal(await base.database.read(queue.isAnyDue(NOW - 1_000)), true)
    const claimFailed = queue.claiming((is) => is('attempts', '>=', 3))
    const failed = await base.database.write(() => claimFailed({ node: 'a', now: NOW, limit: 5 }))
    assert.deepEqual(idsOf(failed), [idOf(3), idOf(4)])
    const early = await claim({ node: 'a', now: NOW, limit: 5, dueBy: NOW - 1_000 })
    assert.deepEqual(idsOf(early), [idOf(0)])
    assert.equal(early[0]?.until, NOW + LEASE_MS)
  })

  test('two nodes never hold one row, and no claim exceeds its limit, however many claim at once', async () => {
    await using base = await newQueueDatabase(engine, 200)
    const other = await base.open()
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (i % 2 === 0 ? base.database : other).write(() => queue.claim({ node: `node ${i}`, now: NOW, limit: 7 })),
      ),
    )
    for (const claim of claims) assert.ok(claim.length <= 7)
    const ids = claims.flat().map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const { id, node } of claims.flat()) assert.equal((await base.row(id))?.claimed_by, node)
    await other.close()
  })

  test('a row is claimable again when its lease has ended, not before', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const claim = (node: string, now: number) => base.database.write(() => queue.claim({ node, now, limit: 1 }))
    await claim('hangs', NOW)
    assert.deepEqual(await claim('b', NOW + LEASE_MS - 1), [])
    assert.deepEqual(idsOf(await claim('b', NOW + LEASE_MS)), [idOf(0)])
  })
})

forEachEngine('ending a claim', (engine) => {
  test('a released row is due when the release says, or is gone when it was removed', async () => {
    await using base = await newQueueDatabase(engine, 2)
    const { database } = base
    const [one, two] = (await database.write(() => queue.claim({ node: 'a', now: NOW, limit: 2 }))).toSorted(
      (a, b) => a.attempts - b.attempts,
    )
    assert.ok(one && two)
    assert.equal(await database.write(() => queue.release(one, NOW + 5)), true)
    assert.partialDeepStrictEqual(await base.row(one.id), { claimed_by: null, due_at: NOW + 5 })
    assert.equal(await database.write(() => queue.release(one, NOW)), false, 'it is released only once')
    assert.equal(await database.write(() => queue.remove(two)), true)
    assert.deepEqual(idsOf(await base.rows()), [one.id])
  })

  test('neither release, removal, update nor lock touches a row that was claimed again, even by the same node', async () => {
    await using base = await newQueueDatabase(engine, 1)
    const { database } = base
    const claim = async (node: string, now: number) => {
      const [claimed] = await database.write(() => queue.claim({ node, now, limit: 1 }))
      assert.ok(claimed)
      return claimed
    }
    const old = await claim('a', NOW)
    for (const node of ['b', 'a']) {
      const newer = await claim(node, NOW + (node === 'b' ? 1 : 2) * LEASE_MS)
      const held = await base.row(idOf(0))
      assert.equal(await database.write(() => queue.release(old, 1)), false)
      assert.equal(await database.write(() => queue.remove(old)), false)
      assert.equal(await database.write(() => run(fail, old)), 0)
      assert.equal(await database.write(() => first(lock, old)), undefined)
      assert.partialDeepStrictEqual(await database.write(() => first(lock, newer)), { id: idOf(0) })
      assert.deepEqual(await base.row(idOf(0)), held)
      assert.partialDeepStrictEqual(held, { claimed_by: node, due_at: newer.until })
    }
  })
})

forEachEngine('claims of nodes that are gone', (engine) => {
  test('what a dead node had claimed is due at once; what a living one has claimed is left alone', async () => {
    await using base = await newQueueDatabase(engine, 4)
    const { database } = base
    for (const node of ['dead', 'living', 'self']) {
      await database.write(() => queue.claim({ node, now: NOW, limit: 1 }))
    }
    const member = await addNode(database, 'living')
    assert.equal(await releaseOrphaned(database, queue, 'self', NOW + 5), 1)
    assert.deepEqual(
      (await base.rows()).map(({ claimed_by: by, due_at: dueAt }) => [by, dueAt]),
      [
        [null, NOW + 5],
        ['living', NOW + LEASE_MS],
        ['self', NOW + LEASE_MS],
        [null, NOW - 997],
      ],
    )
    await member.remove()
    assert.equal(await releaseOrphaned(database, queue, 'self', NOW + 6), 1)
    await database.write(() => queue.releaseOf('self', NOW + 7))
    assert.partialDeepStrictEqual(await base.row(idOf(2)), { claimed_by: null, due_at: NOW + 7 })
  })
})

test('a row that another transaction has locked is skipped, not waited for', { skip: withoutPostgres }, async () => {
  await using base = await newQueueDatabase('postgres', 3)
  await using client = await connectTo(base.url)
  await client.query('begin')
  await client.query('select 1 from deliveries where id = $1 for update', [idOf(0)])
  const claims = await base.database.write(() => queue.claim({ node: 'a', now: NOW, limit: 2 }))
  assert.deepEqual(idsOf(claims), [idOf(1), idOf(2)])
})
