import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { accountMails } from '../../../src/notifications/deliveries/account-mails.ts'
import { claimingDeliveries, type DeliveryClaim, deliveryQueue } from '../../../src/notifications/deliveries/queue.ts'
import { startDeliverySender } from '../../../src/notifications/deliveries/sender.ts'
import { settle } from '../../../src/notifications/deliveries/settle.ts'
import { sendByEmail } from '../../../src/notifications/deliveries/transports.ts'
import { confirmations } from '../../../src/notifications/subscribers/confirmations.ts'
import { CHUNK_SIZE, notices, queueNotices } from '../../../src/notifications/subscribers/notices.ts'
import type { MessageComposer } from '../../../src/notifications/subscribers/types.ts'
import type { SendEmail } from '../../../src/outbound/email.ts'
import { subject } from '../../../src/outbound/email-subject.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { testSealer } from '../../support/installation.ts'
import { newPagesDatabase, type PagesDatabase } from './pages-database.ts'

const composer: MessageComposer = {
  *notice({ id }) {
    return (to) => ({
      email: { to: to.address, id: `${id}.${to.id}`, subject: subject`${id}`, text: '', html: '' },
    })
  },
  // biome-ignore lint/correctness/useYield: the interface wants a generator
  *confirmation({ id, address }) {
    return { email: { to: address, id, subject: subject`confirm`, text: '', html: '' } }
  },
}

const topic = { kind: 'incident', publishedId: 'sinc_1', updateId: null } as const

const adapters = {
  ACCOUNT_MAIL: accountMails(testSealer),
  CONFIRMATION: confirmations(composer, testSealer),
  NOTICE: notices(composer, testSealer),
}

function mailerOn(database: Database, node: string, mail: SendEmail) {
  const mailer = startDeliverySender({
    database,
    medium: 'EMAIL',
    send: sendByEmail(mail),
    adapters,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    node,
    onSettled() {},
  })
  return { ...mailer, [Symbol.asyncDispose]: () => mailer.stop() }
}

const claimNotices = claimingDeliveries('EMAIL', true)

/** A mail server that records ids. After `holdAfter` e-mails the others wait until `resume` is called. */
function recordingMail({ holdAfter = Number.POSITIVE_INFINITY, pauseMs = 0 } = {}) {
  const ids: string[] = []
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
  let started = 0
  const mail: SendEmail = async ({ id }) => {
    started += 1
    if (started > holdAfter) await resumed
    await delay(pauseMs)
    ids.push(id)
    return { ok: true }
  }
  return { ids, mail, resume }
}

async function queue(pagesDb: PagesDatabase, pages = pagesDb.pageIds): Promise<void> {
  await pagesDb.database.write(() => queueNotices(pagesDb.orgId, pages, topic, Date.now()))
}

const left = async ({ database }: PagesDatabase) =>
  (await database.read(execute(q.selectFrom('deliveries').select('id')))).length

forEachEngine('claims on notices', (engine) => {
  test('a stop waits for the chunk in flight, and the next start sends the rest, once', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 1, subscribers: 100 })
    const { ids, mail, resume } = recordingMail({ holdAfter: 10 })
    await queue(pagesDb)
    const first = mailerOn(pagesDb.database, 'a', mail)
    await eventually(async () => assert.equal(ids.length, 10))
    const stopped = first.stop()
    resume()
    await stopped
    assert.equal(ids.length, CHUNK_SIZE)
    await using _second = mailerOn(pagesDb.database, 'b', mail)
    await eventually(async () => assert.equal(await left(pagesDb), 0))
    assert.equal(ids.length, 100)
    assert.equal(new Set(ids).size, 100)
  })

  test('a node whose claim has ended cannot change anything', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 1, subscribers: 5 })
    const { database } = pagesDb
    await queue(pagesDb)
    const now = Date.now()
    const claimAt = async (node: string, at: number) =>
      (await database.write(() => claimNotices({ node, now: at, limit: 9 })))[0]
    const late = (await claimAt('late', now)) as DeliveryClaim
    const composed = await database.read(adapters.NOTICE.compose(late))
    assert.equal(composed?.messages.length, 5)
    const leaseMs = deliveryQueue.spec.leaseMs
    assert.equal(await claimAt('other', now + leaseMs - 1), undefined)
    const other = (await claimAt('other', now + leaseMs)) as DeliveryClaim
    const sent = composed.messages.map((each) => {
      return { ...each, result: { ok: true }, step: { do: 'done' } } as const
    })
    const settleAs = (claim: DeliveryClaim) =>
      database.write(() => settle({ claim, composed, sent, resumeAt: now }, adapters.NOTICE, now))
    assert.equal(await settleAs(late), false)
    assert.equal(await left(pagesDb), 1)
    assert.equal(await settleAs(other), true)
    assert.equal(await left(pagesDb), 0)
  })

  test('a page with very many subscribers does not delay others', async () => {
    await using pagesDb = await newPagesDatabase(engine, { pages: 6, subscribers: 30 })
    const [big = '', ...others] = pagesDb.pageIds
    await pagesDb.addSubscribers(big, 1_000)
    const { ids, mail } = recordingMail()
    await queue(pagesDb, [big])
    const [bigNotice] = await pagesDb.database.read(execute(q.selectFrom('deliveries').select('id')))
    await queue(pagesDb, others)
    await using _mailer = mailerOn(pagesDb.database, 'a', mail)
    await eventually(async () => assert.equal(await left(pagesDb), 0))
    assert.equal(ids.length, 1_030 + 150)
    const lastOfOthers = ids.findLastIndex((id) => !id.startsWith(`${bigNotice?.id}.`))
    assert.ok(lastOfOthers < 700, `${lastOfOthers}`)
  })
})

test('two nodes send to everybody exactly once', { skip: withoutPostgres }, async () => {
  await using pagesDb = await newPagesDatabase('postgres', { pages: 5, subscribers: 120 })
  const { ids, mail } = recordingMail({ pauseMs: 2 })
  const [first, second] = [await pagesDb.open(), await pagesDb.open()]
  await using _a = mailerOn(first, 'a', mail)
  await using _b = mailerOn(second, 'b', mail)
  for (let i = 0; i < 4; i += 1) await queue(pagesDb)
  await eventually(async () => assert.equal(await left(pagesDb), 0), 60_000)
  assert.equal(ids.length, 4 * 5 * 120)
  assert.equal(new Set(ids).size, ids.length)
})
