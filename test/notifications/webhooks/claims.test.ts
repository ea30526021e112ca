import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointQueue } from '../../../src/notifications/webhooks/endpoint-queue.ts'
import { sealUrl } from '../../../src/notifications/webhooks/secret.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { addNode, releaseOrphaned } from '../../support/nodes.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest, sealer } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'
const OTHER_URL = 'http://127.0.0.1:9/other'
/** A page of deliveries is read again after a second. */
const STALE_MS = 1_001

forEachEngine('an endpoint that is being sent to', (engine) => {
  test('can be edited, disabled and deleted, and the change holds for what is not in flight', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(20)
    await using node = await sending.node({ post: requests.send })
    await node.dispatcher.claimDue()
    await requests.made(4)
    await sending.change(id, { url: sealUrl(sealer, sending.orgId, id, OTHER_URL) })
    sending.clock.advance(STALE_MS)
    requests.finishAll()
    await requests.made(8)
    assert.deepEqual(
      requests.all.map(({ url }) => url),
      [...Array(4).fill(URL), ...Array(4).fill(OTHER_URL)],
    )

    await sending.change(id, { enabled: 0 })
    sending.clock.advance(STALE_MS)
    requests.finishAll()
    await node.dispatcher.idle()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 8, FAILED: 12 })
    assert.equal(requests.all.length, 8)

    await sending.change(id, { enabled: 1 })
    await sending.emitEvents(20)
    await node.dispatcher.claimDue()
    await requests.made(12)
    await sending.database.write(() => execute(q.deleteFrom('webhook_endpoints').where('id', '=', id)))
    sending.clock.advance(STALE_MS)
    requests.finishAll()
    await node.dispatcher.idle()
    assert.equal(requests.all.length, 12)
  })

  test('stays claimed while it is sent to, however long that takes', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    await sending.endpoint(URL)
    await sending.emitEvents()
    await using node = await sending.node({ post: requests.send })
    await using other = await sending.node({ post: requests.send })
    await node.dispatcher.claimDue()
    await requests.made(1)
    for (let i = 0; i < 10; i += 1) {
      sending.clock.advance(20_000)
      await node.dispatcher.extendLeases()
      await other.sendDue()
    }
    assert.equal(requests.all.length, 1)
    requests.finishAll()
    await node.dispatcher.idle()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 1 })
  })

  test('is not sent to any further by a node that has lost its claim', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(20)
    await using node = await sending.node({ post: requests.send })
    await node.dispatcher.claimDue()
    await requests.made(4)
    await sending.change(id, { claimed_by: 'another', due_at: sending.clock.now() + 60_000 })
    await node.dispatcher.extendLeases()
    requests.finishAll()
    await node.dispatcher.idle()
    assert.equal(requests.all.length, 4)
    assert.equal((await sending.endpointRow(id)).claimed_by, 'another')
  })
})

forEachEngine('several nodes', (engine) => {
  test('what a dead node had claimed is sent at once, what a living one has claimed is left alone', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const dead = await sending.endpoint(URL)
    const living = await sending.endpoint(URL)
    await sending.emitEvents()
    const until = sending.clock.now() + 60_000
    const member = await addNode(sending.database, 'living')
    await sending.change(dead.id, { claimed_by: 'dead', due_at: until })
    await sending.change(living.id, { claimed_by: 'living', due_at: until })
    await using node = await sending.node({ post: requests.send })
    assert.equal(await releaseOrphaned(sending.database, endpointQueue, node.name, sending.clock.now()), 1)
    await node.dispatcher.claimDue()
    await requests.made(1)
    requests.finishAll()
    await node.dispatcher.idle()
    assert.partialDeepStrictEqual(await sending.endpointRow(living.id), { claimed_by: 'living', due_at: until })
    await member.remove()
    assert.equal(await releaseOrphaned(sending.database, endpointQueue, node.name, sending.clock.now()), 1)
    await node.dispatcher.claimDue()
    await requests.made(2)
    requests.finishAll()
    await node.dispatcher.idle()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 2 })
  })

  test('a node that stops lets requests in flight end, records them and releases its endpoints', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(30)
    const node = await sending.node({ post: requests.send })
    await node.dispatcher.claimDue()
    await requests.made(4)
    const stopped = node.stop()
    requests.finishAll()
    await stopped
    assert.equal(requests.all.length, 4)
    assert.partialDeepStrictEqual(await sending.endpointRow(id), { claimed_by: null, due_at: sending.clock.now() })
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 4, PENDING: 26 })
    requests.holdNoMore()
    await using next = await sending.node({ post: requests.send })
    await next.sendDue()
    assert.equal(requests.all.length, 30)
    assert.equal(new Set(requests.all.map(({ headers }) => headers['webhook-id'])).size, 30)
  })

  test('share the endpoints: each event is sent once, and no endpoint gets more than four requests at once', async () => {
    await using sending = await newSendingTest(engine)
    // On SQLite locks of nodes belong to one connection: two connections would take each other's nodes for dead.
    const second = engine === 'sqlite' ? sending.database : await sending.open()
    const requests = new HeldRequests()
    const one = await sending.node({ post: requests.send })
    const two = await sending.node({ post: requests.send, database: second })
    const urls = Array.from({ length: 6 }, (_, i) => `http://127.0.0.1:9/${i}`)
    for (const url of urls.slice(0, 3)) await sending.endpoint(url)
    await sending.emitEvents(5)
    await one.dispatcher.claimDue()
    await requests.made(3 * 4)
    for (const url of urls.slice(3)) await sending.endpoint(url)
    await sending.emitEvents(5)
    await Promise.all([two.dispatcher.claimDue(), two.dispatcher.claimDue()])
    await one.dispatcher.claimDue()
    await requests.made(6 * 4)
    assert.equal(requests.open.size, 6 * 4)
    requests.holdNoMore()
    await Promise.all([one.dispatcher.idle(), two.dispatcher.idle()])
    assert.equal(requests.mostOpen, 4)
    for (const [i, url] of urls.entries()) {
      const ids = requests.all.filter((request) => request.url === url).map(({ headers }) => headers['webhook-id'])
      assert.equal(ids.length, i < 3 ? 10 : 5)
      assert.equal(new Set(ids).size, ids.length)
    }
    assert.deepEqual([one.attempts(), two.attempts()], [30, 15])
    await two.stop()
    if (second !== sending.database) await second.close()
  })
})
