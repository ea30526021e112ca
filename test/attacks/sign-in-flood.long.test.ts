import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashPassword, useHashingCost, verifyPassword } from '../../src/lib/passwords.ts'
import { execute, q } from '../../src/storage/query.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { OWNER, PASSWORD, Person, type TestInstallation, useInstallation } from '../support/person.ts'
import { type Answer, LOWEST_COST } from '../support/server.ts'

const PARALLEL = 260
const env = { PHAROS_TRUST_PROXY: '127.0.0.1' }

interface Flood {
  /** Wrong sign-ins that were checked, and that were refused because the server was busy. */
  readonly counts: { checked: number; refused: number; other: number }
  stop(): Promise<void>
}

/** Keeps 260 wrong sign-ins in progress, each from an address of its own and for an account of its own. */
function startFlood({ server }: TestInstallation): Flood {
  const counts = { checked: 0, refused: 0, other: 0 }
  let isStopped = false
  const attacker = async (_: unknown, number: number): Promise<void> => {
    for (let i = 0; !isStopped; i += 1) {
      const status = await wrongSignIn(
        server.url,
        `10.${number >> 8}.${number & 255}.${i}`,
        `user${number}-${i}@example.com`,
      )
      if (status === 401) counts.checked += 1
      else if (status === 429) counts.refused += 1
      else counts.other += 1
      if (status === 429) await sleep(500)
    }
  }
  const attackers = Array.from({ length: PARALLEL }, attacker)
  return {
    counts,
    async stop() {
      isStopped = true
      await Promise.all(attackers)
    },
  }
}

async function wrongSignIn(url: string, address: string, email: string): Promise<number> {
  const response = await fetch(`${url}/app/api/sign-in`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password: 'guess guess guess' }),
  })
  await response.arrayBuffer()
  return response.status
}

forEachEngine('260 parallel wrong sign-ins', (engine) => {
  const installation = useInstallation(engine, { env, clock: new HandClock() })
  const at = (address: string): Person => new Person(installation.server, { 'x-forwarded-for': address })
  /** A browser that has signed in before and has no session any more. */
  const knownBrowser = async (address: string): Promise<Person> => {
    const person = await installation.signInOwner({ 'x-forwarded-for': address })
    person.cookie = undefined
    return person
  }
  // With the lowest cost the queue would never be full.
  before(() => useHashingCost({ memory: 9_728, passes: 2, parallelism: 1 }))
  after(() => useHashingCost(LOWEST_COST))

  test('neither delay a known browser nor count as failed attempts of anybody they crowd out', async () => {
    const home = await knownBrowser('192.0.2.1')
    const flood = startFlood(installation)
    await eventually(async () => assert.ok(flood.counts.refused > 0))

    const crowdedOut: Promise<Answer>[] = []
    const busy = await eventually(async () => {
      const attempts = Array.from({ length: 4 }, () => at('192.0.2.50').signIn(OWNER))
      crowdedOut.push(...attempts)
      // An attempt that found room in the queue waits; one that did not is answered at once.
      const answer = await Promise.race(attempts)
      assert.equal(answer.status, 429, 'the queue is full for unknown browsers')
      return answer
    })
    assert.match(busy.body.error.message, /overloaded/)
    assert.equal(busy.headers.get('retry-after'), '2')

    const before = flood.counts.checked
    assert.equal((await home.signIn(OWNER)).status, 200)
    const meanwhile = flood.counts.checked - before
    assert.ok(meanwhile < 100, `the browser waited for ${meanwhile} of 200 others`)
    await Promise.all([flood.stop(), ...crowdedOut])
    assert.equal(flood.counts.other, 0)

    const stranger = at('192.0.2.51')
    for (let i = 0; i < 4; i += 1) assert.equal((await stranger.signIn(OWNER, 'guess guess')).status, 401, `${i}`)
    assert.equal((await stranger.signIn(OWNER)).status, 200, 'five failures are free, and none was counted before')
  })

  test('for one account block unknown browsers, but neither a known browser nor a known address nor a session', async () => {
    const home = await knownBrowser('192.0.2.60')
    const session = await installation.signInOwner({ 'x-forwarded-for': '192.0.2.61' })
    const statuses = await Promise.all(
      Array.from({ length: PARALLEL }, (_, i) =>
        wrongSignIn(installation.server.url, `10.9.${i >> 8}.${i & 255}`, OWNER),
      ),
    )
    assert.equal(
      statuses.filter((status) => status === 401).length,
      5,
      'guesses from all addresses together are limited',
    )
    assert.equal(statuses.filter((status) => status === 429).length, PARALLEL - 5)
    assert.equal((await at('192.0.2.99').signIn(OWNER)).status, 429)
    home.headers['x-forwarded-for'] = '192.0.2.98'
    assert.equal((await home.signIn(OWNER)).status, 200, 'a known browser, elsewhere')
    assert.equal((await at('192.0.2.60').signIn(OWNER)).status, 200, 'another browser at a known address')
    const change = { currentPassword: PASSWORD, newPassword: PASSWORD }
    assert.equal((await session.post('/me/password', change)).status, 200)
    assert.equal((await at('192.0.2.99').signIn(OWNER)).status, 429, 'a sign-in elsewhere grants no further guesses')
  })
})

forEachEngine('an attempt that waits while the queue fills up', (engine) => {
  const installation = useInstallation(engine, { env, clock: new HandClock() })
  const at = (address: string): Person => new Person(installation.server, { 'x-forwarded-for': address })

  test('gives way to other addresses, and does not count then', async () => {
    // Keeps both slots busy for a few seconds.
    const slow = `$argon2id$v=19$m=19456,t=50,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
    const slots = ['a', 'b'].map((key) => verifyPassword('x', slow, { lane: 'known', key }))
    let refused = 0
    const waiting = Array.from({ length: 4 }, async () => {
      const { status, body } = await at('192.0.2.1').signIn(OWNER, 'guess guess')
      if (status === 429 && /overloaded/.test(body.error.message)) refused += 1
      return status
    })
    const { database } = installation.server.running
    await eventually(async () => {
      const rows = await database.read(execute(q.selectFrom('sign_in_limits').select('failures')))
      assert.deepEqual(new Set(rows.map(({ failures }) => failures)), new Set([4]), 'counted before they are checked')
    })
    const others: Promise<unknown>[] = []
    await eventually(async () => {
      for (let i = 0; i < 50; i += 1) {
        others.push(hashPassword('x', { lane: 'unknown', key: `other ${others.length}` }).catch(() => undefined))
      }
      assert.ok(refused >= 3, 'an address keeps as much room as others have')
    })
    const wrong = (await Promise.all(waiting)).filter((status) => status === 401).length
    await Promise.all([...slots, ...others])
    for (let i = wrong; i < 5; i += 1) {
      assert.equal((await at('192.0.2.2').signIn(OWNER, 'guess guess')).status, 401, `${i} of 5 failures are counted`)
    }
    assert.equal((await at('192.0.2.2').signIn(OWNER)).status, 429)
  })
})

forEachEngine('a known browser', (engine) => {
  const installation = useInstallation(engine, { env, clock: new HandClock() })
  const at = (address: string): Person => new Person(installation.server, { 'x-forwarded-for': address })

  test('may guess five times, then it is delayed like others', async () => {
    const person = await installation.signInOwner({ 'x-forwarded-for': '192.0.2.1' })
    person.cookie = undefined
    for (let i = 0; i < 5; i += 1) assert.equal((await person.signIn(OWNER, 'guess guess')).status, 401)
    const { status, headers } = await person.signIn(OWNER)
    assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
    assert.equal((await at('192.0.2.2').signIn(OWNER)).status, 200, 'others are counted apart')
  })

  test('is known for its own users only, and the cookie cannot be forged', async () => {
    const other = new Person(installation.server, { 'x-forwarded-for': '192.0.2.3' })
    const { body } = await installation.owner.post('/invitations', { role: 'MEMBER' })
    const token = new URL(body.link).searchParams.get('token')
    await other.post('/invitations/accept', { token, email: 'other@example.com', password: PASSWORD })
    const cookie = other.knownBrowser as string
    assert.ok(cookie.startsWith('pharos-browser='))
    for (let i = 0; i < 5; i += 1) await at(`192.0.2.${10 + i}`).signIn(OWNER, 'guess guess')
    for (const knownBrowser of [cookie, `${cookie.slice(0, -6)}AAAA==`, 'pharos-browser=x', 'pharos-browser=']) {
      const attacker = at('192.0.2.20')
      attacker.knownBrowser = knownBrowser
      assert.equal((await attacker.signIn(OWNER)).status, 429, knownBrowser)
    }
  })

  test('stays known after signing out, and is known for several users', async () => {
    assert.equal((await at('192.0.2.30').signIn(OWNER)).status, 429, 'the account is blocked for unknown browsers')
    const browser = installation.owner
    assert.equal((await browser.post('/sign-out')).status, 200)
    assert.equal((await browser.signIn('other@example.com')).status, 200)
    assert.equal((await browser.post('/sign-out')).status, 200)
    assert.equal((await browser.signIn(OWNER)).status, 200)
    const set = (await browser.signIn(OWNER)).headers.getSetCookie().find((value) => value.includes('-browser='))
    assert.match(set ?? '', /; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/)
  })
})
