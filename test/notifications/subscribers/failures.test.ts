import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { retryDelaysMs } from '../../../src/notifications/deliveries/retry-delays.ts'
import { CHUNK_SIZE } from '../../../src/notifications/subscribers/notices.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { publishIncident } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type MailingTest, newMailingTest, people } from './mailing.ts'

/** Deliveries to one subscriber: those that are sent again. */
async function retries(stage: MailingTest) {
  return (await stage.deliveries()).filter(({ target_id: targetId }) => targetId !== null)
}

async function subscriber(stage: MailingTest, address: string) {
  const row = (await stage.subscribers()).find((each) => each.address === address)
  return row && { state: row.state, rejections: row.rejections, error: row.last_error }
}

const notifiedOnce = (stage: MailingTest, addresses: readonly string[]): void =>
  assert.deepEqual(stage.smtp.mails.flatMap(({ to }) => to).sort(), [...addresses].sort())

forEachEngine('e-mails that are refused', (engine) => {
  test('a refused e-mail is retried until it is accepted, and delays no others', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(30))
    stage.smtp.refuse = (address) => (address === 'u3@example.com' ? '450 4.2.0 Greylisted' : undefined)
    await publishIncident(stage.client, page.id)
    await stage.received(29)
    await eventually(async () => assert.equal((await retries(stage)).length, 1))
    for (let i = 0; i < 3; i += 1) {
      stage.clock.advance(Math.ceil((retryDelaysMs.notice[i] as number) * 1.1))
      await eventually(async () => assert.equal((await retries(stage))[0]?.attempts, i + 2))
    }
    stage.smtp.refuse = () => undefined
    stage.clock.advance(2 * HOUR_MS)
    await stage.quiet()
    notifiedOnce(stage, people(30))
    assert.deepEqual(await retries(stage), [])
    assert.deepEqual(await subscriber(stage, 'u3@example.com'), { state: 'CONFIRMED', rejections: 0, error: null })
  })

  test('a subscriber is disabled after three rejections in a row, until a new confirmation', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, ['ann@example.com', 'gone@example.com', 'full@example.com'])
    const rejected = { 'gone@example.com': true, 'full@example.com': true } as Record<string, boolean>
    stage.smtp.refuse = (address) => (rejected[address] ? '550 5.1.1 No such user' : undefined)
    const round = async (title: string) => {
      await publishIncident(stage.client, page.id, { title })
      await stage.quiet()
    }
    await round('1')
    await round('2')
    const error = 'The mail server refused: 550 5.1.1 No such user'
    assert.deepEqual(await subscriber(stage, 'gone@example.com'), { state: 'CONFIRMED', rejections: 2, error })
    rejected['full@example.com'] = false
    await round('3')
    assert.deepEqual(await subscriber(stage, 'full@example.com'), { state: 'CONFIRMED', rejections: 0, error: null })
    assert.deepEqual(await subscriber(stage, 'gone@example.com'), { state: 'DISABLED', rejections: 3, error })
    rejected['gone@example.com'] = false
    await round('4')
    assert.equal(stage.mailsTo('gone@example.com').length, 0)
    assert.equal(stage.mailsTo('ann@example.com').length, 4)
    await stage.subscribe(page, 'gone@example.com')
    await round('5')
    assert.deepEqual(await subscriber(stage, 'gone@example.com'), { state: 'CONFIRMED', rejections: 0, error: null })
    assert.equal(stage.mailsTo('gone@example.com').length, 2)
  })

  test('a relay error of the mail server does not count as a rejection', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(5))
    stage.smtp.refuse = () => '554 5.7.1 Relay access denied'
    for (let i = 0; i < 4; i += 1) await publishIncident(stage.client, page.id, { title: `${i}` })
    await eventually(async () => assert.equal((await retries(stage)).length, 20))
    for (const each of await stage.subscribers()) assert.deepEqual([each.state, each.rejections], ['CONFIRMED', 0])
  })
})

async function isTried(stage: MailingTest): Promise<void> {
  await eventually(async () => assert.ok(stage.smtp.connections >= 4))
  await stage.idle()
}

forEachEngine('an unreachable mail server', (engine) => {
  test('it is tried with growing pauses, and afterwards everybody gets the notice once', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(CHUNK_SIZE * 2 + 5))
    stage.smtp.isDown = true
    await publishIncident(stage.client, page.id)
    await isTried(stage)
    for (let i = 1; i <= 4; i += 1) {
      await stage.idle()
      const before = stage.smtp.connections
      await delay(600)
      assert.equal(stage.smtp.connections, before, 'no connection during the pause')
      stage.clock.advance(2_000 * 2 ** (i - 1))
      await eventually(async () => assert.ok(stage.smtp.connections > before, 'it is tried again'))
    }
    assert.ok(stage.smtp.connections < 60, `${stage.smtp.connections}`)
    await stage.idle()
    assert.deepEqual(await retries(stage), [], 'it costs no attempt')
    stage.smtp.isDown = false
    stage.clock.advance(MINUTE_MS)
    await stage.quiet()
    notifiedOnce(stage, people(CHUNK_SIZE * 2 + 5))
  })

  test('a notice that could not be sent within a day is dropped', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(2))
    stage.smtp.isDown = true
    await publishIncident(stage.client, page.id)
    await isTried(stage)
    stage.clock.advance(24 * HOUR_MS + 1)
    stage.smtp.isDown = false
    await stage.quiet()
    await stage.idle()
    assert.equal(stage.smtp.mails.length, 0)
  })

  test('somebody who unsubscribes before a retry gets no e-mail', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(3))
    stage.smtp.isDown = true
    await publishIncident(stage.client, page.id)
    await isTried(stage)
    const { database } = stage.server.running
    await database.write(() => execute(q.deleteFrom('subscribers').where('address', '=', 'u1@example.com')))
    await database.write(() =>
      execute(q.updateTable('subscribers').set({ state: 'DISABLED' }).where('address', '=', 'u2@example.com')),
    )
    stage.smtp.isDown = false
    stage.clock.advance(MINUTE_MS)
    await stage.quiet()
    notifiedOnce(stage, ['u0@example.com'])
  })
})
