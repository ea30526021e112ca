import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneMailWindows } from '../../src/accounts/mail-budgets/windows.ts'
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts'
import { type DbWork, execute, q } from '../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../support/engines.ts'
import { OWNER, type Person } from '../support/person.ts'
import { migratedDatabase } from '../support/postgres.ts'
import { startTestServer } from '../support/server.ts'
import { emptyDataDir } from '../support/sqlite.ts'
import { type MailInstallation, newMailInstallation } from './mail-installation.ts'

const LURE = 'You won! https://evil.example/claim or www.evil.example\r\nBcc: all@example.com'

/** Creates an invitation and, if that worked, deletes it again. Returns the answer to the creation. */
async function inviteAndDelete(attacker: Person, email: string) {
  const answer = await attacker.post('/invitations', { role: 'VIEWER', email })
  if (answer.status === 201) assert.equal((await attacker.delete(`/invitations/${answer.body.id}`)).status, 200)
  return answer
}

async function flood(attacker: Person, times: number, addressOf: (i: number) => string): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i += 1) statuses.push((await inviteAndDelete(attacker, addressOf(i))).status)
  return statuses
}

const countOf = (statuses: readonly number[], sought: number) => statuses.filter((status) => status === sought).length

/** Gives the attacker's organization a name from before control characters were refused. */
function* lure(): DbWork<void> {
  yield* execute(q.updateTable('organizations').set({ name: LURE }).where('name', '=', 'Lure'))
}

forEachEngine('a mail flood', (engine) => {
  test('by deleting and repeating an invitation ends after three e-mails, with a subject without links', async () => {
    await using installation = await newMailInstallation(engine)
    const attacker = await installation.signUp('attacker@example.com', 'Lure', '203.0.113.1')
    await installation.server.running.database.write(lure)
    const statuses = await flood(attacker, 120, (i) => `victim${i % 2 === 0 ? '' : `+${i}`}@example.com`)
    assert.deepEqual([statuses.slice(0, 4), countOf(statuses, 429)], [[201, 201, 201, 429], 117])
    await installation.settled()
    const mails = installation.smtp.mails.filter(({ to }) => to[0]?.startsWith('victim'))
    assert.equal(mails.length, 3)
    for (const { headers } of mails) {
      const [subject = ''] = headers.subject ?? []
      assert.match(subject, /^Invitation to You won! evil·example\/claim or www·evil·example Bcc: all@ex… on Pharos$/)
      assert.equal(headers.bcc, undefined)
    }
    for (const { text } of mails) assert.equal(text.match(/https?:/g)?.length, 1, 'one link, ours')
  })

  test('is refused with the time to wait and what to do instead, and a refusal uses up nothing', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, clock } = installation
    await flood(owner, 20, () => 'victim@example.com')
    const { status, headers, body } = await owner.post('/invitations', { role: 'VIEWER', email: 'victim@example.com' })
    assert.deepEqual([status, body.error.code, headers.get('retry-after')], [429, 'rate_limited', `${DAY_MS / 1000}`])
    assert.match(body.error.message, /3 invitations and address confirmations a day to one address/)
    assert.match(body.error.message, /; try again in 24 h, or create a link without an address$/)
    assert.equal((await owner.post('/invitations', { role: 'VIEWER' })).status, 201, 'a link without an address')
    const others = await flood(owner, 18, (i) => `colleague${i}@example.com`)
    assert.deepEqual([countOf(others, 201), countOf(others, 429)], [17, 1], '20 an hour in all')
    clock.advance(HOUR_MS)
    assert.equal((await inviteAndDelete(owner, 'colleague@example.com')).status, 201)
    assert.equal((await inviteAndDelete(owner, 'victim@example.com')).status, 429)
    clock.advance(DAY_MS)
    assert.equal((await inviteAndDelete(owner, 'victim@example.com')).status, 201)
  })

  test('over many addresses is limited per organization and day', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, clock } = installation
    let sent = 0
    for (let hour = 0; hour < 7; hour += 1) {
      sent += countOf(await flood(owner, 21, (i) => `a${hour}-${i}@example.com`), 201)
      clock.advance(HOUR_MS)
    }
    assert.equal(sent, 100)
  })

  test('from many organizations is limited per user, and per mailbox in all', async () => {
    await using installation = await newMailInstallation(engine)
    const attackers: Person[] = []
    for (let i = 0; i < 4; i += 1) {
      attackers.push(await installation.signUp(`attacker${i}@example.com`, `Org ${i}`, `203.0.113.${i}`))
    }
    let sent = 0
    for (const attacker of attackers) sent += countOf(await flood(attacker, 5, () => 'victim@example.com'), 201)
    assert.equal(sent, 10)

    const [attacker] = attackers as [Person]
    assert.equal((await attacker.post('/organizations', { name: 'Second' })).status, 201)
    const { organizations } = (await attacker.get('/me')).body
    const statuses: number[] = []
    for (const { id } of organizations) {
      attacker.organization = id
      statuses.push(...(await flood(attacker, 15, (i) => `${id}${i}@example.com`)))
    }
    assert.equal(countOf(statuses, 201), 17, 'three of the 20 an hour went to the victim')
  })

  test('by parallel requests sends no more', async () => {
    await using installation = await newMailInstallation(engine)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => inviteAndDelete(installation.owner, 'victim@example.com')),
    )
    assert.equal(
      countOf(
        answers.map(({ status }) => status),
        201,
      ),
      3,
    )
    await installation.settled()
    assert.equal(installation.mailsTo('victim@example.com').length, 3)
  })

  test('by test messages to an e-mail contact is limited per mailbox', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, clock } = installation
    const given = { name: 'Me', channel: 'EMAIL', settings: { address: OWNER } }
    const { body: contact } = await owner.post('/v1/contacts', given)
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) {
      // Past the limit of tests per minute.
      clock.advance(61_000)
      statuses.push((await owner.post(`/v1/contacts/${contact.id}/test`)).status)
    }
    assert.deepEqual([countOf(statuses, 200), statuses.slice(10)], [10, [429, 429]])
    assert.equal(installation.mailsTo(OWNER).length, 10)
  })

  test('is counted in rows without addresses, which are deleted when their time is over', async () => {
    await using installation = await newMailInstallation(engine)
    const { database } = installation.server.running
    await flood(installation.owner, 3, () => 'victim@example.com')
    const windows = () => database.read(execute(q.selectFrom('mail_windows').selectAll()))
    assert.equal((await windows()).length, 5)
    for (const { subject } of await windows()) assert.match(subject, /^[\w-]{43}$/)
    const prune = (at: number) => database.write(() => pruneMailWindows(at, 500))
    const now = installation.clock.now()
    assert.deepEqual([await prune(now), await prune(now + HOUR_MS), await prune(now + DAY_MS)], [0, 2, 3])
    assert.deepEqual(await windows(), [])
  })
})

forEachEngine('a mail flood through the API', (engine) => {
  test('with API keys is counted for the user who created them, over all organizations', async () => {
    await using installation = await newMailInstallation(engine)
    const { owner, server } = installation
    await owner.post('/organizations', { name: 'Second' })
    const { organizations } = (await owner.get('/me')).body
    const inOrganization = (index: number) => ({ 'x-pharos-organization': organizations[index].id })
    const keyOf = async (index: number) => {
      const given = { name: 'flood', access: 'full' }
      const { status, body } = await owner.send('POST', '/keys', given, inOrganization(index))
      assert.equal(status, 201, JSON.stringify(body))
      return server.client(body.key)
    }
    const [first, other] = [await keyOf(0), await keyOf(1)]
    const statuses: number[] = []
    for (let i = 0; i < 24; i += 1) {
      const settings = { address: `victim${i}@example.com` }
      const client = i % 2 === 0 ? first : other
      statuses.push((await client.post('/contacts', { name: 'x', channel: 'EMAIL', settings })).status)
    }
    assert.deepEqual([countOf(statuses, 201), statuses.slice(20)], [20, [429, 429, 429, 429]])
    const body = { name: 'x', channel: 'EMAIL', settings: { address: 'v@example.com' } }
    const again = await owner.send('POST', '/v1/contacts', body, inOrganization(0))
    assert.equal(again.status, 429, 'the session shares the budget')
  })
})

/** The attacker of a first node, at another node or the same one after a restart. */
async function floodAgain(first: MailInstallation, second: { url: string }): Promise<number[]> {
  const { cookie } = first.owner
  const statuses: number[] = []
  for (let i = 0; i < 5; i += 1) {
    const response = await fetch(`${second.url}/app/api/invitations`, {
      method: 'POST',
      headers: { cookie: cookie as string, origin: second.url, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'VIEWER', email: 'victim@example.com' }),
    })
    statuses.push(response.status)
  }
  return statuses
}

test('the budget of a mailbox survives a restart', async () => {
  const dataDir = emptyDataDir()
  const first = await newMailInstallation('sqlite', { dataDir })
  assert.deepEqual(await flood(first.owner, 2, () => 'victim@example.com'), [201, 201])
  const env = { PHAROS_SMTP_URL: `smtp://127.0.0.1:${first.smtp.port}`, PHAROS_MAIL_FROM: 'pharos@example.com' }
  await first.server.stop()
  {
    await using second = await startTestServer('sqlite', {
      dataDir,
      clock: first.clock,
      env: { PHAROS_ROLES: 'api,sender', ...env },
    })
    assert.deepEqual(await floodAgain(first, second), [201, 429, 429, 429, 429])
  }
  await first[Symbol.asyncDispose]()
})

test('the budget of a mailbox holds over all nodes', { skip: withoutPostgres }, async () => {
  const { url: databaseUrl, drop } = await migratedDatabase()
  {
    await using first = await newMailInstallation('postgres', { databaseUrl })
    const env = { PHAROS_SMTP_URL: `smtp://127.0.0.1:${first.smtp.port}`, PHAROS_MAIL_FROM: 'pharos@example.com' }
    await using second = await startTestServer('postgres', {
      databaseUrl,
      clock: first.clock,
      env: { PHAROS_ROLES: 'api,sender', ...env },
    })
    assert.deepEqual(await flood(first.owner, 2, () => 'victim@example.com'), [201, 201])
    assert.deepEqual(await floodAgain(first, second), [201, 429, 429, 429, 429])
    assert.equal((await inviteAndDelete(first.owner, 'victim@example.com')).status, 429)
  }
  await drop()
})
