import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { OWNER, PASSWORD, Person, tokenIn } from '../support/person.ts'
import { bodyOf } from '../support/server.ts'
import { linkIn, type MailInstallation, newMailInstallation } from './mail-installation.ts'

const STRANGER = 'stranger@example.com'
const timing = { groupWaitMs: 0, spacingMs: 1, retryDelaysMs: [] }
const sending = { env: { PHAROS_ROLES: 'api,sender' }, alertPace: timing }

const emailContact = (address: string, name = 'Mail') => ({ name, channel: 'EMAIL', settings: { address } })

async function addContact(person: Person, address: string, name?: string) {
  return bodyOf(await person.post('/v1/contacts', emailContact(address, name)), 201)
}

const stateOf = async (person: Person, id: string) =>
  (await person.get('/v1/contacts')).body.data.find((contact: { id: string }) => contact.id === id)

/** The link of the last confirmation e-mail, at the address of the test server. */
async function confirmationLink({ server, received }: MailInstallation, address: string, count = 1): Promise<string> {
  const { text } = await received(address, count)
  return linkIn(text).replace(/^http:\/\/localhost:\d+/, server.url)
}

/** Takes a monitor down. Returns when the owner's own contact has received the alert. */
async function alertOwner({ server, owner, clock, mailsTo }: MailInstallation): Promise<void> {
  const { data } = (await owner.get('/v1/contacts')).body
  const own = data.some(({ settings }: { settings: { address: string } }) => settings.address === OWNER)
  if (!own) assert.equal((await addContact(owner, OWNER)).confirmed, true, 'the address of a member')
  const before = mailsTo(OWNER).length
  const { body: monitor } = await owner.post('/v1/monitors', { name: 'https://evil.example', type: 'CRON' })
  clock.advance(1_000)
  await fetch(`${server.url}${new URL(monitor.heartbeatUrl).pathname}/fail`)
  await eventually(async () => {
    clock.advance(10)
    assert.equal(mailsTo(OWNER).length, before + 1)
  })
  assert.deepEqual(mailsTo(OWNER).at(-1)?.headers.subject, ['https://evil.example is down'])
}

forEachEngine('a disabled e-mail contact with the address of a stranger', (engine) => {
  test('gets no confirmation e-mail while it is disabled, and one when it is enabled', async () => {
    await using installation = await newMailInstallation(engine, sending)
    const { owner, mailsTo } = installation
    const { body: contact } = await owner.post('/v1/contacts', { ...emailContact(STRANGER), enabled: false })
    assert.deepEqual([contact.enabled, contact.confirmationSentAt], [false, null])
    await owner.patch(`/v1/contacts/${contact.id}`, { settings: { address: `other-${STRANGER}` } })
    await installation.settled()
    assert.deepEqual([...mailsTo(STRANGER), ...mailsTo(`other-${STRANGER}`)], [])
    const { body: enabled } = await owner.post(`/v1/contacts/${contact.id}/enable`)
    assert.notEqual(enabled.confirmationSentAt, null)
    await installation.received(`other-${STRANGER}`, 1)
  })
})

forEachEngine('an e-mail contact with the address of a stranger', (engine) => {
  test('gets no alert and no test, and at most three confirmation e-mails, however many contacts there are', async () => {
    await using installation = await newMailInstallation(engine, sending)
    const { owner, mailsTo } = installation
    const answers = []
    const add = (i: number) => owner.post('/v1/contacts', emailContact(STRANGER, `Contact ${i}`))
    for (let i = 0; i < 20; i += 1) answers.push(await add(i))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, ...new Array(17).fill(429)],
    )
    const [{ body: contact }] = answers as [(typeof answers)[number]]
    assert.deepEqual([contact.confirmed, contact.enabled, contact.lastSentAt], [false, true, null])
    assert.notEqual(contact.confirmationSentAt, null)
    const { status, body } = await owner.post(`/v1/contacts/${contact.id}/test`)
    assert.deepEqual([status, body.error.code], [409, 'conflict'])
    assert.match(body.error.message, /^stranger@example\.com is waiting for confirmation; .*open the link/)
    await alertOwner(installation)
    await installation.settled()
    const subjects = mailsTo(STRANGER).map(({ headers }) => headers.subject?.[0])
    assert.deepEqual(subjects, new Array(3).fill('Confirm alerts from Acme'))
    const { database } = installation.server.running
    const queued = await database.read(execute(q.selectFrom('alerts').select('contact_id')))
    assert.equal(queued.length, 1, 'the alert of the owner, and none that could still be sent')
    const { body: monitors } = await owner.get('/v1/monitors')
    const { data } = (await owner.get(`/v1/monitors/${monitors.data[0].id}/contacts`)).body
    const waiting = data.filter(({ confirmed }: { confirmed: boolean }) => !confirmed)
    assert.deepEqual([waiting.length, data.length], [3, 4])
  })

  test('is confirmed by the button behind the link, not by opening the link', async () => {
    await using installation = await newMailInstallation(engine, sending)
    const { owner, mailsTo } = installation
    const [first, second] = [await addContact(owner, STRANGER), await addContact(owner, 'Stranger@EXAMPLE.com')]
    const link = await confirmationLink(installation, STRANGER)
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(link, { method })
      const page = await response.text()
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      if (method === 'GET') assert.match(page, /<form method="post"><button>Confirm<\/button><\/form>/)
    }
    assert.equal((await stateOf(owner, first.id)).confirmed, false, 'a link scanner confirms nothing')
    const pressed = await fetch(link, { method: 'POST' })
    assert.deepEqual([pressed.status, (await pressed.text()).includes('Address confirmed')], [200, true])
    for (const { id } of [first, second]) assert.equal((await stateOf(owner, id)).confirmed, true)
    assert.equal((await fetch(link, { method: 'POST' })).status, 200, 'a second press changes nothing')
    assert.equal((await addContact(owner, STRANGER, 'Third')).confirmed, true, 'the organization has asked before')
    await alertOwner(installation)
    await eventually(async () => assert.equal(mailsTo(STRANGER).length, 3, 'the confirmation and two alerts'))
    assert.equal((await owner.post(`/v1/contacts/${first.id}/test`)).status, 200)
    const again = await owner.post(`/v1/contacts/${first.id}/confirmation`)
    assert.deepEqual([again.status, again.body.error.code], [409, 'conflict'])
  })

  test('is not confirmed by a link that is too old, forged, or for another address', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, clock } = installation
    const contact = await addContact(owner, STRANGER)
    const link = await confirmationLink(installation, STRANGER)
    const forged = `${link.slice(0, -5)}AAAAA`
    const press = async (url: string) => (await fetch(url, { method: 'POST' })).status
    assert.equal(await press(forged), 404)
    const moved = await owner.patch(`/v1/contacts/${contact.id}`, { settings: { address: 'other@example.com' } })
    assert.deepEqual([moved.status, moved.body.confirmed], [200, false])
    assert.equal(await press(link), 404, 'the contact has another address now')
    const other = await confirmationLink(installation, 'other@example.com')
    clock.advance(7 * DAY_MS)
    assert.equal(await press(other), 404, 'expired')
    assert.equal((await owner.signIn(OWNER)).status, 200)
    assert.equal((await stateOf(owner, contact.id)).confirmed, false)
    const again = await owner.post(`/v1/contacts/${contact.id}/confirmation`)
    assert.deepEqual([again.status, Date.parse(again.body.confirmationSentAt)], [200, clock.now()])
    assert.equal(await press(await confirmationLink(installation, 'other@example.com', 2)), 200)
    assert.equal((await stateOf(owner, contact.id)).confirmed, true)
  })

  test('has to confirm again after a confirmed contact was given it', async () => {
    await using installation = await newMailInstallation(engine, sending)
    const { owner, mailsTo } = installation
    const contact = await addContact(owner, OWNER, 'Own')
    const path = `/v1/contacts/${contact.id}`
    assert.equal((await owner.patch(path, { name: 'Renamed' })).body.confirmed, true)
    assert.equal((await owner.patch(path, { settings: { address: STRANGER } })).body.confirmed, false)
    await alertOwner(installation)
    await installation.settled()
    assert.equal(mailsTo(STRANGER).length, 1, 'the confirmation')
    assert.equal((await owner.patch(path, { settings: { address: 'Owner@example.com' } })).body.confirmed, true)
  })

  test('is not confirmed by making an unverified user with that address a member', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, server } = installation
    const { body: invitation } = await owner.post('/invitations', { role: 'VIEWER' })
    const form = { token: tokenIn(invitation.link), email: STRANGER, password: PASSWORD }
    assert.equal((await new Person(server).post('/invitations/accept', form)).status, 200)
    assert.equal((await addContact(owner, STRANGER)).confirmed, false)
  })
})

forEachEngine('an e-mail contact with the address of a member', (engine) => {
  test('needs no confirmation, and keeps working when the member leaves', async () => {
    await using installation = await newMailInstallation(engine, sending)
    const { owner, server, mailsTo } = installation
    await owner.post('/invitations', { role: 'VIEWER', email: 'ann@example.com' })
    const { text } = await installation.received('ann@example.com', 1)
    const ann = new Person(server)
    const accepted = await ann.post('/invitations/accept', { token: tokenIn(linkIn(text)), password: PASSWORD })
    const contact = await addContact(owner, 'Ann@example.com')
    assert.deepEqual([contact.confirmed, contact.confirmationSentAt], [true, null])
    assert.equal((await owner.delete(`/members/${accepted.body.userId}`)).status, 200)
    assert.equal((await stateOf(owner, contact.id)).confirmed, true)
    await alertOwner(installation)
    await eventually(async () => assert.equal(mailsTo('Ann@example.com').length, 1))
  })

  test('in another organization needs a confirmation', async () => {
    await using installation = await newMailInstallation(engine)
    const attacker = await installation.signUp('attacker@example.com', 'Evil', '203.0.113.9')
    assert.equal((await addContact(attacker, OWNER)).confirmed, false)
    const { id } = await addContact(installation.owner, OWNER)
    assert.equal((await stateOf(installation.owner, id)).confirmed, true)
    assert.equal((await addContact(attacker, OWNER)).confirmed, false)
  })
})

forEachEngine('without a mail server', (engine) => {
  test('an e-mail contact is saved, waits, and says that no confirmation can be sent', async () => {
    const env = { PHAROS_SMTP_URL: '', PHAROS_MAIL_FROM: '' }
    await using installation = await newMailInstallation(engine, { env })
    const { owner } = installation
    const contact = await addContact(owner, STRANGER)
    assert.deepEqual([contact.confirmed, contact.confirmationSentAt], [false, null])
    const { status, body } = await owner.post(`/v1/contacts/${contact.id}/confirmation`)
    assert.deepEqual([status, body.error.code], [409, 'conflict'])
    assert.match(body.error.message, /PHAROS_SMTP_URL/)
  })
})
