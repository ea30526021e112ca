import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { type Claim, claimNotices, LEASE_MS, takeChunk } from '../../../src/notifications/subscribers/claim.ts'
import { CHUNK_SIZE, startMailer } from '../../../src/notifications/subscribers/mailer.ts'
import { queueNotices } from '../../../src/notifications/subscribers/queries.ts'
import { recordChunk } from '../../../src/notifications/subscribers/record.ts'
import { subscriberClaims } from '../../../src/notifications/subscribers/release.ts'
import type { EmailComposer } from '../../../src/notifications/subscribers/types.ts'
import type { SendEmail } from '../../../src/outbound/email.ts'
import type { Database } from '../../../src/storage/database.ts'
import { nodeLock } from '../../../src/storage/node-lock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Ground, openPages } from './ground.ts'

/** Says no more than whom it is for and what it is about. */
const composer: EmailComposer = {
  *notice({ id }) {
    return (to) => ({ to: to.address, id: `${id}.${to.id}`, subject: id, text: '', html: '' })
  },
  // biome-ignore lint/correctness/useYield: everything is at hand
  *confirmation({ id, address }) {
    return { to: address, id, subject: 'confirm', text: '', html: '' }
  },
}

const about = { kind: 'incident', publishedId: 'sinc_1', updateId: null } as const

function mailerOn(database: Database, node: string, mail: SendEmail) {
  const counters = { noticeChunkSent() {}, confirmationSent() {} }
  const mailer = startMailer({
    database,
    mail,
    composer,
    clock: systemClock,
    random: Math,
    log: silentLog,
    node,
    counters,
  })
  return { ...mailer, [Symbol.asyncDispose]: () => mailer.stop() }
}

/** A mail server that only notes what it is handed. */
function ledger(pauseMs = 0): { readonly ids: string[]; readonly mail: SendEmail } {
  const ids: string[] = []
  return {
    ids,
    async mail({ id }) {
      await delay(pauseMs)
      ids.push(id)
      return { ok: true }
    },
  }
}

async function tell(ground: Ground, pages = ground.pageIds): Promise<void> {
  await ground.database.write(() => queueNotices(ground.orgId, pages, about, Date.now()))
}

const left = async ({ database }: Ground) =>
  (await database.read(execute(q.selectFrom('subscriber_notices').select('id')))).length

forEachEngine('claims on notices', (engine) => {
  test('a stop lets letters under way end, and what is left is told after the start, once', async () => {
    await using ground = await openPages(engine, { pages: 1, subscribers: 100 })
    const { ids, mail } = ledger(20)
    await tell(ground)
    const first = mailerOn(ground.database, 'a', mail)
    await eventually(async () => assert.ok(ids.length > 10))
    await first.stop()
    assert.ok(ids.length < 100, `${ids.length}`)
    await using _second = mailerOn(ground.database, 'b', mail)
    await eventually(async () => assert.equal(await left(ground), 0))
    assert.equal(ids.length, 100)
    assert.equal(new Set(ids).size, 100)
  })

  test('what a node had claimed when it died is told by another, and the rest of a chunk comes twice at most', async () => {
    await using ground = await openPages(engine, { pages: 1, subscribers: 60 })
    const { database } = ground
    await tell(ground)
    const [claim] = await database.write(() => claimNotices('dead', Date.now(), 9))
    const life = await database.tryLock(nodeLock('dead'))
    const { ids, mail } = ledger()
    await using _heir = mailerOn(database, 'heir', mail)
    await delay(700)
    assert.deepEqual(ids, [], 'a claim stands')
    const release = async () => {
      let released = 0
      for (const claims of subscriberClaims) released += await claims.releaseOfDead(database, 'heir', Date.now())
      return released
    }
    assert.equal(await release(), 0, 'its node lives')
    await life?.release()
    assert.equal(await release(), 1)
    await eventually(async () => assert.equal(await left(ground), 0))
    assert.equal(new Set(ids).size, 60)
    const late = await database.write(() => takeChunk(claim as Claim, Date.now(), CHUNK_SIZE))
    assert.equal(late, undefined)
  })

  test('whoever comes back after its claim has ended changes nothing any more', async () => {
    await using ground = await openPages(engine, { pages: 1, subscribers: 5 })
    const { database } = ground
    await tell(ground)
    const now = Date.now()
    const claimAt = async (node: string, at: number) => (await database.write(() => claimNotices(node, at, 9)))[0]
    const late = (await claimAt('late', now)) as Claim
    const chunk = await database.read(takeChunk(late, now, CHUNK_SIZE))
    assert.ok(chunk)
    assert.equal(await claimAt('other', now + LEASE_MS - 1), undefined)
    const other = (await claimAt('other', now + LEASE_MS)) as Claim
    const results = { results: new Map(), isStopping: false }
    assert.equal(await database.write(() => recordChunk(late, chunk, results, now, Math.random)), undefined)
    assert.equal(await database.read(takeChunk(late, now, CHUNK_SIZE)), undefined)
    assert.equal((await database.read(takeChunk(other, now, CHUNK_SIZE)))?.recipients.length, 5)
  })

  test('a page with very many subscribers keeps no other waiting', async () => {
    await using ground = await openPages(engine, { pages: 6, subscribers: 30 })
    const [big = '', ...others] = ground.pageIds
    await ground.addSubscribers(big, 1_000)
    const { ids, mail } = ledger(5)
    await tell(ground, [big])
    await tell(ground, others)
    await using _mailer = mailerOn(ground.database, 'a', mail)
    const smallOnes = async () => {
      const waiting = await ground.database.read(execute(q.selectFrom('subscriber_notices').select('page_id')))
      return waiting.filter(({ page_id: id }) => id !== big).length
    }
    await eventually(async () => assert.equal(await smallOnes(), 0), 20_000)
    assert.ok(ids.length < 700, `${ids.length}`)
    await eventually(async () => assert.equal(await left(ground), 0), 60_000)
    assert.equal(ids.length, 1_030 + 150)
  })
})

test('two nodes tell everybody once, and nobody twice', { skip: withoutPostgres }, async () => {
  await using ground = await openPages('postgres', { pages: 5, subscribers: 120 })
  const { ids, mail } = ledger(2)
  const [first, second] = [await ground.open(), await ground.open()]
  await using _a = mailerOn(first, 'a', mail)
  await using _b = mailerOn(second, 'b', mail)
  for (let i = 0; i < 4; i += 1) await tell(ground)
  await eventually(async () => assert.equal(await left(ground), 0), 60_000)
  assert.equal(ids.length, 4 * 5 * 120)
  assert.equal(new Set(ids).size, ids.length)
})
