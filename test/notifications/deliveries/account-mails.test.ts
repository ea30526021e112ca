import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type MailingTest, newMailingTest } from '../subscribers/mailing.ts'

/** Creates an e-mail contact, which sends a confirmation e-mail to its address. */
async function requestMail({ client }: MailingTest, address: string): Promise<void> {
  const { status } = await client.post('/contacts', { name: address, channel: 'EMAIL', settings: { address } })
  assert.equal(status, 201)
}

forEachEngine('account mails', (engine) => {
  test('a mail that the mail server refuses for now is sent later, once, and was sealed until then', async () => {
    await using stage = await newMailingTest(engine)
    stage.smtp.refuse = () => '451 4.3.0 Try again later'
    await requestMail(stage, 'ann@example.com')
    await eventually(async () => assert.equal((await stage.deliveries())[0]?.attempts, 1))
    const [row] = await stage.deliveries()
    assert.equal(row?.kind, 'ACCOUNT_MAIL')
    assert.doesNotMatch(JSON.stringify(row), /ann@example|confirm\/|http/)
    stage.smtp.refuse = () => undefined
    stage.clock.advance(11_000)
    const [mail] = await stage.received(1)
    assert.match(mail?.text ?? '', /\/contacts\/confirm\//)
    await stage.quiet()
    assert.equal(stage.smtp.mails.length, 1)
  })

  test('a mail server that is down delays a mail, and costs it no attempt', async () => {
    await using stage = await newMailingTest(engine)
    stage.smtp.isDown = true
    await requestMail(stage, 'ann@example.com')
    await eventually(async () => assert.ok(stage.smtp.connections >= 4))
    await eventually(async () => assert.equal((await stage.deliveries())[0]?.claimed_by, null))
    assert.equal((await stage.deliveries())[0]?.attempts, 0)
    stage.smtp.isDown = false
    stage.clock.advance(MINUTE_MS)
    await stage.received(1)
    await stage.quiet()
  })

  test('a mail whose link has expired is not sent any more, and one to an address that does not exist is given up', async () => {
    await using stage = await newMailingTest(engine)
    stage.smtp.refuse = () => '451 4.3.0 Try again later'
    await requestMail(stage, 'late@example.com')
    await eventually(async () => assert.equal((await stage.deliveries())[0]?.attempts, 1))
    stage.smtp.refuse = () => undefined
    stage.clock.advance(7 * 24 * HOUR_MS)
    await stage.quiet()
    stage.smtp.refuse = () => '550 5.1.1 No such user'
    await requestMail(stage, 'nobody@example.com')
    await stage.quiet()
    assert.deepEqual(stage.smtp.mails, [])
  })
})
