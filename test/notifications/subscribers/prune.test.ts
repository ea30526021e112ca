import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { pruneMailWindows } from '../../../src/accounts/mail-budgets/windows.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { createSealer, SEAL_KEY_BYTES } from '../../../src/lib/seal.ts'
import { pruneExpired } from '../../../src/notifications/deliveries/queue.ts'
import { queueNotices } from '../../../src/notifications/subscribers/notices.ts'
import { pruneSubscribersOfDeletedPages, pruneUnconfirmed } from '../../../src/notifications/subscribers/prune.ts'
import { scheduleSubscriberRemoval } from '../../../src/notifications/subscribers/queries.ts'
import { subscribe } from '../../../src/notifications/subscribers/subscribe.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { fetchPage } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { newMailingTest } from './mailing.ts'
import { newPagesDatabase } from './pages-database.ts'

const sealer = createSealer([randomBytes(SEAL_KEY_BYTES)])
const about = { kind: 'incident', publishedId: 'sinc_1', updateId: null } as const

forEachEngine('pruning', (engine) => {
  test('deletes unconfirmed addresses in small steps, and keeps confirmed ones', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 1, subscribers: 3 })
    const { database, orgId } = pagesDb
    const pageId = pagesDb.pageIds[0] as string
    const now = Date.now()
    for (let i = 0; i < 7; i += 1) {
      const signUp = { orgId, pageId, to: `new${i}@example.com`, client: `10.0.0.${i}` }
      await database.write(() => subscribe(signUp, sealer, now + i))
    }
    const prune = (at: number, limit: number) => database.write(() => pruneUnconfirmed(at, limit))
    assert.equal(await prune(now + HOUR_MS / 2, 500), 0)
    assert.equal(await prune(now + 48 * HOUR_MS - 1, 500), 0)
    assert.equal(await prune(now + 48 * HOUR_MS, 500), 1)
    assert.equal(await prune(now + 49 * HOUR_MS, 4), 4)
    assert.equal(await prune(now + 49 * HOUR_MS, 4), 2)
    assert.equal((await database.read(execute(q.selectFrom('subscribers').select('id')))).length, 3)
  })

  test('deletes rate windows when they have ended', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 1, subscribers: 0 })
    const { database, orgId } = pagesDb
    const pageId = pagesDb.pageIds[0] as string
    const now = Date.now()
    await database.write(() => subscribe({ orgId, pageId, to: 'a@example.com', client: '10.0.0.1' }, sealer, now))
    const windows = () => database.read(execute(q.selectFrom('mail_windows').selectAll()))
    assert.equal((await windows()).length, 3)
    for (const { subject } of await windows()) assert.match(subject, /^[\w-]{43}$/, 'a hash, and no address')
    await database.write(() => pruneMailWindows(now + HOUR_MS, 500))
    assert.equal((await windows()).length, 1)
    await database.write(() => pruneMailWindows(now + DAY_MS, 500))
    assert.deepEqual(await windows(), [])
  })

  test('deletes the subscribers of a deleted page in bounded steps', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 3, subscribers: 10 })
    const { database, orgId, pageIds } = pagesDb
    const [first = '', second = '', third = ''] = pageIds
    for (const id of [first, second]) await database.write(() => scheduleSubscriberRemoval(orgId, id))
    const removed = []
    for (let i = 0; i < 5; i += 1) removed.push(await database.write(() => pruneSubscribersOfDeletedPages(6)))
    assert.deepEqual(removed, [6, 6, 6, 2, 0])
    const rows = await database.read(execute(q.selectFrom('subscribers').select('page_id').distinct()))
    assert.deepEqual(rows, [{ page_id: third }])
    assert.deepEqual(await database.read(execute(q.selectFrom('subscriber_tombstones').selectAll())), [])
  })

  test('deletes a notice after a day', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 2, subscribers: 1 })
    const { database, orgId, pageIds } = pagesDb
    const now = Date.now()
    await database.write(() => queueNotices(orgId, pageIds, about, now))
    assert.equal(await database.write(() => pruneExpired(now + DAY_MS - 1, 9)), 0)
    assert.equal(await database.write(() => pruneExpired(now + DAY_MS, 1)), 1)
    assert.equal(await database.write(() => pruneExpired(now + DAY_MS, 9)), 1)
  })

  test('after a page is deleted, the links of its subscribers still answer', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.subscribe(page, 'ann@example.com')
    await stage.client.post('/status-incidents', { title: 'x', message: 'y', statusPageIds: [page.id] })
    const mail = (await stage.received(2))[1]
    assert.equal((await stage.client.delete(`/status-pages/${page.id}`)).status, 200)
    const { database } = stage.server.running
    await database.write(() => pruneSubscribersOfDeletedPages(500))
    await eventually(async () =>
      assert.deepEqual(await database.read(execute(q.selectFrom('subscribers').select('id'))), []),
    )
    const link = /http:\/\/\S+\/unsubscribe\/\S+/.exec(mail?.text ?? '')?.[0].replace(/^http:\/\/[^/]+/, '')
    const { status, text } = await fetchPage(`${stage.server.url}${link}`, { method: 'POST' })
    assert.equal(status, 404)
    assert.match(text, /the status page was removed/)
  })
})
