import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { OWNER, PASSWORD, tokenIn } from '../support/person.ts'
import { linkIn, newMailInstallation } from './mail-installation.ts'

const HOME = '203.0.113.200'

forEachEngine("a user's allowance of password resets", (engine) => {
  const request = { email: OWNER }

  test('cannot be used up by strangers for a network that the user has signed in from', async () => {
    await using installation = await newMailInstallation(engine)
    assert.equal((await installation.visitor(HOME).signIn(OWNER)).status, 200)
    const statuses: number[] = []
    for (let network = 0; network < 10; network += 1) {
      const stranger = installation.visitor(`203.0.113.${network}`)
      for (let i = 0; i < 4; i += 1) statuses.push((await stranger.post('/password-reset/request', request)).status)
    }
    assert.equal(statuses.filter((status) => status === 200).length, 10, '3 from each, 10 in all')
    const refused = await installation.visitor('203.0.113.99').post('/password-reset/request', request)
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited'])
    assert.equal(refused.headers.get('retry-after'), `${(6 * HOUR_MS) / 1000}`)
    const home = installation.visitor(HOME)
    assert.equal((await home.post('/password-reset/request', request)).status, 200)
    const { text } = await installation.received(OWNER, 11)
    const form = { token: tokenIn(linkIn(text)), password: `${PASSWORD}!` }
    assert.equal((await home.post('/password-reset', form)).status, 200)
    assert.equal((await home.post('/password-reset/request', request)).status, 200, 'known after all sessions ended')
  })

  test('is small for one unknown client, which cannot request links for many other users either', async () => {
    await using installation = await newMailInstallation(engine)
    const stranger = installation.visitor('203.0.113.1')
    const ask = async (email: string) => (await stranger.post('/password-reset/request', { email })).status
    const own = []
    for (const tag of ['', '+1', '+2', '+3', '']) own.push(await ask(`owner${tag}@example.com`))
    assert.deepEqual(own, [200, 200, 200, 429, 429], 'tags behind a + are the same mailbox')
    const others = []
    for (let i = 0; i < 9; i += 1) others.push(await ask(`user${i}@example.com`))
    assert.deepEqual(others, [...new Array(7).fill(200), 429, 429])
    assert.equal((await installation.visitor('203.0.113.2').post('/password-reset/request', request)).status, 200)
    installation.clock.advance(HOUR_MS)
    assert.equal(await ask(OWNER), 200)
  })

  test('is the same for an address without a user', async () => {
    await using installation = await newMailInstallation(engine)
    const statusesFor = async (email: string, network: string) => {
      const statuses = []
      for (let i = 0; i < 5; i += 1) {
        statuses.push((await installation.visitor(network).post('/password-reset/request', { email })).status)
      }
      return statuses
    }
    assert.deepEqual(await statusesFor(OWNER, '203.0.113.1'), await statusesFor('nobody@example.com', '203.0.113.2'))
  })

  test('keeps the first link valid: a later request of an unknown client does not end it', async () => {
    await using installation = await newMailInstallation(engine)
    await installation.visitor(HOME).post('/password-reset/request', request)
    const first = tokenIn(linkIn((await installation.received(OWNER, 1)).text))
    await installation.visitor('203.0.113.1').post('/password-reset/request', request)
    const second = tokenIn(linkIn((await installation.received(OWNER, 2)).text))
    const reset = async (token: string) =>
      (await installation.visitor(HOME).post('/password-reset', { token, password: PASSWORD })).status
    assert.equal(await reset(first), 200)
    assert.equal(await reset(second), 404, 'using one link ends all of them')
  })

  test('is not shared with sign-ups, which have their own', async () => {
    await using installation = await newMailInstallation(engine)
    const form = { email: OWNER, organizationName: 'Evil' }
    const statuses: number[] = []
    for (let network = 0; network < 5; network += 1) {
      for (let i = 0; i < 4; i += 1) {
        statuses.push((await installation.visitor(`203.0.113.${network}`).post('/sign-up', form)).status)
      }
    }
    assert.equal(statuses.filter((status) => status === 200).length, 10)
    assert.equal((await installation.visitor(HOME).post('/password-reset/request', request)).status, 200)
  })

  test('forgets a network after 90 days without a sign-in', async () => {
    await using installation = await newMailInstallation(engine)
    assert.equal((await installation.visitor(HOME).signIn(OWNER)).status, 200)
    installation.clock.advance(90 * DAY_MS)
    const statuses = []
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await installation.visitor(HOME).post('/password-reset/request', request)).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 429], 'five for a known network')
  })
})
