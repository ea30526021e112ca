import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sealUrl } from '../../../src/notifications/webhooks/secret.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { HeldRequests } from './held-requests.ts'
import { newSendingTest, sealer } from './sending.ts'

const URL = 'http://127.0.0.1:9/hook'
const OTHER_URL = 'http://127.0.0.1:9/other'
/** No request is begun later than a second after a claim. */
const STALE_MS = 1_001

forEachEngine('an endpoint that is being sent to', (engine) => {
  test('can be edited, disabled and deleted, and the change holds for what is not in flight', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(20)
    await using node = await sending.node({ post: requests.send })
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
    await node.sendDue()
    assert.deepEqual(await sending.statuses(), { SUCCEEDED: 8, FAILED: 12 })
    assert.equal(requests.all.length, 8)

    await sending.change(id, { enabled: 1 })
    await sending.emitEvents(20)
    node.nudge()
    await requests.made(12)
    await sending.database.write(() => execute(q.deleteFrom('webhook_endpoints').where('id', '=', id)))
    sending.clock.advance(STALE_MS)
    requests.finishAll()
    await node.stop()
    assert.equal(requests.all.length, 12)
  })
})

forEachEngine('several nodes', (engine) => {
  test('a node that stops lets requests in flight end, records them and releases its endpoints', async () => {
    await using sending = await newSendingTest(engine)
    const requests = new HeldRequests()
    const { id } = await sending.endpoint(URL)
    await sending.emitEvents(30)
    const node = await sending.node({ post: requests.send })
    await requests.made(4)
    sending.clock.advance(STALE_MS)
    const stopped = node.stop()
    requests.finishAll()
    await stopped
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
    const urls = Array.from({ length: 6 }, (_, i) => `http://127.0.0.1:9/${i}`)
    for (const url of urls) await sending.endpoint(url)
    const one = await sending.node({ post: requests.send })
    const two = await sending.node({ post: requests.send, database: second })
    await sending.emitEvents(5)
    for (const node of [one, two]) node.nudge()
    await requests.made(6 * 4)
    assert.equal(requests.open.size, 6 * 4)
    requests.holdNoMore()
    // An event that a release forgets would leave its endpoint without a due time, and not be sent.
    for (let n = 0; n < 50; n += 1) {
      await sending.emitEvents(1, n % 3 === 0 ? second : sending.database)
      for (const node of [one, two]) node.nudge()
    }
    await Promise.all([one.sendDue(), two.sendDue()])
    assert.equal(requests.mostOpen, 4)
    for (const url of urls) {
      const ids = requests.all.filter((request) => request.url === url).map(({ headers }) => headers['webhook-id'])
      assert.equal(ids.length, 55)
      assert.equal(new Set(ids).size, 55)
    }
    await two.stop()
    if (second !== sending.database) await second.close()
  })
})
