import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/clock.ts'
import { domain, json, startRegistries, status } from '../../../support/rdap-server.ts'

const EXPIRY = '2027-03-04T05:06:07Z'
const expiresAt = Date.parse(EXPIRY)
const entry = `Domain Name: EXAMPLE.TEST\r\nRegistry Expiry Date: ${EXPIRY}\r\n`
const referring = (reply: (question: string) => string) => (question: string) =>
  question === 'test' ? 'domain: TEST\nwhois: whois.nic.test\n' : reply(question)

describe('a registration', () => {
  test('is found by RDAP, and its expiry is reported like that of a certificate', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    const sample = await world.look('https://example.test/path')
    const fingerprint = `example.test ${new Date(expiresAt).toISOString()}`
    assert.partialDeepStrictEqual(sample, { outcome: 'success', certificate: { fingerprint, expiresAt } })
    assert.deepEqual([world.rdap.questions, world.whois.questions], [['example.test'], []])
    await world.rdap.quiet()
  })

  test('is that of the nearest parent name, never of a top-level domain', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    assert.equal((await world.look('a.b.www.shop.example.test:8443')).outcome, 'success')
    assert.deepEqual(world.rdap.questions, ['www.shop.example.test', 'shop.example.test', 'example.test'])
    world.rdap.questions.length = 0
    for (const url of [null, '', 'test', 'localhost', '127.0.0.1', '[::1]:443', 'a_b.test', 'https://a b/']) {
      assert.partialDeepStrictEqual(await world.look(url), { outcome: 'failure', code: 'DOMAIN', kind: 'content' })
    }
    assert.deepEqual([world.rdap.questions, world.whois.questions], [[], []])
  })

  test('of an international name is queried in ASCII', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('xn--bcher-kva.test', domain('xn--bcher-kva.test', EXPIRY))
    assert.equal((await world.look('BÜCHER.test')).outcome, 'success')
    assert.deepEqual(world.rdap.questions, ['xn--bcher-kva.test'])
  })

  test('is found for a host below it, also when the server refuses hosts', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('www.example.test', domain('example.test', EXPIRY))
    world.rdap.domains.set('www.other.test', status(400))
    world.rdap.domains.set('other.test', domain('other.test', EXPIRY))
    const first = await world.look('www.example.test')
    assert.ok(first.outcome === 'success' && first.certificate?.fingerprint.startsWith('example.test '))
    assert.equal((await world.look('www.other.test')).outcome, 'success')
    assert.deepEqual(world.rdap.questions, ['www.example.test', 'www.other.test', 'other.test'])
  })

  test("has the registry's date; the registrar's is a second best", async () => {
    await using world = await startRegistries()
    const registrar = { eventAction: 'registrar expiration', eventDate: '2028-01-01T00:00:00Z' }
    const registry = { eventAction: 'expiration', eventDate: EXPIRY }
    const events = { both: [registrar, registry], one: [{ eventAction: 'expiration', eventDate: 'soon' }, registrar] }
    for (const [name, expected] of [
      ['both', expiresAt],
      ['one', Date.parse(registrar.eventDate)],
    ] as const) {
      world.rdap.domains.set(`${name}.test`, domain(`${name}.test`, null, { events: events[name] }))
      assert.partialDeepStrictEqual(await world.look(`${name}.test`), { certificate: { expiresAt: expected } })
    }
  })

  test('is found by WHOIS where there is no RDAP: IANA, registry, and the registrar if needed', async () => {
    await using world = await startRegistries()
    const answers = [
      'refer: whois.nic.com.test\ndomain: COM\n',
      'Domain Name: EXAMPLE.COM\nRegistrar WHOIS Server: whois.registrar.test\n',
      `Domain Name: example.com\nRegistrar Registration Expiration Date: ${EXPIRY}\nRegistrar WHOIS Server: x.test\n`,
    ]
    world.whois.answer = () => answers[world.whois.questions.length - 1] ?? 'No match'
    const sample = await world.look('example.com')
    assert.partialDeepStrictEqual(sample, { outcome: 'success', certificate: { expiresAt } })
    assert.deepEqual(world.whois.questions, ['com\r\n', 'example.com\r\n', 'example.com\r\n'])
    await world.whois.quiet()
    // Who keeps .com is remembered.
    world.whois.answer = () => `Domain: other.com\nexpires: ${EXPIRY}`
    assert.equal((await world.look('other.com')).outcome, 'success')
    assert.equal(world.whois.questions.length, 4)
  })
})

describe('a registration without RDAP', () => {
  test('is queried by WHOIS in the form that a server expects, and name by name', async () => {
    await using world = await startRegistries()
    const replies: Record<string, string> = {
      de: 'whois: whois.denic.de',
      '-T dn,ace www.example.de': 'Domain: www.example.de\nStatus: invalid',
      '-T dn,ace example.de': 'Domain: example.de\nStatus: connect',
    }
    world.whois.answer = (question) => replies[question] ?? 'Malformed request'
    const sample = await world.look('www.example.de')
    assert.equal(sample.outcome, 'success', JSON.stringify(sample))
    assert.equal('certificate' in sample, false)
    assert.deepEqual(
      world.whois.questions.map((each) => each.trimEnd()),
      Object.keys(replies),
    )
  })

  test('without a date in RDAP may have one in WHOIS; without any it is still good', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', null))
    world.rdap.domains.set('other.test', domain('other.test', null))
    world.whois.answer = referring((name) => (name === 'example.test' ? entry : 'Domain: other.test\nStatus: connect'))
    assert.partialDeepStrictEqual(await world.look('www.example.test'), { certificate: { expiresAt } })
    const undated = await world.look('other.test')
    assert.ok(undated.outcome === 'success' && undated.certificate === undefined)
    assert.deepEqual(world.whois.questions, ['test\r\n', 'example.test\r\n', 'other.test\r\n'])
  })
})

describe('a registration that a user checks', () => {
  test('is looked up again for a check by a user, at most once a minute, and a failed look-up does not displace it', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    await world.look('example.test')
    const manual = { isManual: true }
    assert.equal((await world.look('example.test', manual)).outcome, 'success')
    assert.equal(world.rdap.questions.length, 2)
    await world.look('www.example.test', manual)
    await world.look('example.test')
    assert.equal(world.rdap.questions.length, 2, 'within a minute')
    world.clock.advance(MINUTE_MS)
    const knownDetails = (world.clock.now() - 1_000).toString(36)
    await world.look('example.test', { ...manual, knownDetails })
    assert.equal(world.rdap.questions.length, 2, 'another thread or node has looked it up within a minute')
    world.rdap.everything = status(500)
    assert.equal((await world.look('example.test', manual)).outcome, 'inconclusive')
    assert.equal((await world.look('example.test')).outcome, 'success', 'what is known stays')
    assert.equal(world.rdap.questions.length, 3)
  })
})

describe('a domain is down', () => {
  test('when its registration expired; after a renewal it is up again soon', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', '2025-12-30T10:00:00Z'))
    const error = 'The registration of example.test expired on Dec 30, 2025'
    const sample = await world.look('www.example.test')
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'DOMAIN', kind: 'content', error })
    assert.partialDeepStrictEqual(sample, { certificate: { expiresAt: Date.parse('2025-12-30T10:00:00Z') } })
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    world.clock.advance(5 * MINUTE_MS)
    assert.equal((await world.look('www.example.test')).outcome, 'success')
  })

  test('when the day of expiry is over, if the date has no time', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', '2026-01-01'))
    world.clock.advance(DAY_MS - 1)
    assert.equal((await world.look('example.test')).outcome, 'success')
    world.clock.advance(1)
    const error = 'The registration of example.test expired on Jan 1, 2026'
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'failure', code: 'DOMAIN', error })
  })

  test('when the registry is about to delete it, whatever the date says', async () => {
    await using world = await startRegistries()
    const lapsed = { status: ['client hold', 'redemption period', 'pending delete'] }
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY, lapsed))
    const error = 'The registration of example.test has lapsed (redemption period)'
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'failure', code: 'DOMAIN', error })
  })

  test('when neither RDAP nor WHOIS know the name', async () => {
    await using world = await startRegistries()
    const error = 'example.test is not registered'
    const sample = await world.look('www.example.test')
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'DOMAIN', kind: 'content', error })
    const questions = ['test\r\n', 'www.example.test\r\n', 'example.test\r\n']
    assert.deepEqual([world.rdap.questions, world.whois.questions], [['www.example.test', 'example.test'], questions])
  })

  test('when WHOIS does not know it and there is no RDAP, or no such top-level domain', async () => {
    await using world = await startRegistries()
    world.whois.answer = (question) => (question === 'com' ? 'whois: whois.nic.test' : 'No match for "EXAMPLE.COM".')
    assert.partialDeepStrictEqual(await world.look('example.com'), { outcome: 'failure', code: 'DOMAIN' })
    world.whois.answer = () => '% IANA WHOIS server\n% This query returned 0 objects.\n'
    const error = 'example.invalid is not registered'
    assert.partialDeepStrictEqual(await world.look('www.example.invalid'), {
      outcome: 'failure',
      code: 'DOMAIN',
      error,
    })
    assert.equal(world.whois.questions.at(-1), 'invalid\r\n')
  })

  test('not when WHOIS still has it', async () => {
    await using world = await startRegistries()
    world.whois.answer = referring(() => entry)
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'success', certificate: { expiresAt } })
  })

  test('inconclusive when only a public suffix is found', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('co.uk', domain('co.uk', null))
    world.whois.answer = (question) => (question === 'uk' ? 'whois: whois.nic.test' : 'No match')
    const sample = await world.look('www.example.co.uk')
    assert.ok(sample.outcome === 'inconclusive')
    assert.match(sample.reason, /^Could not look up the registration of example\.co\.uk: .*co\.uk is registered/)
    world.whois.answer = (question) => (question === 'uk' ? 'whois: whois.nic.test' : 'Domain name: co.uk\nStatus: ok')
    assert.equal((await world.look('co.uk')).outcome, 'success')
    // Now that it is remembered, it still answers for itself alone.
    assert.equal((await world.look('www.other.co.uk')).outcome, 'inconclusive')
  })
})

describe('a finding is cached', () => {
  test('for 12 hours, for every host of the registration', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    for (const host of ['www.example.test', 'example.test', 'api.example.test', 'www.example.test']) {
      assert.partialDeepStrictEqual(await world.look(host), { outcome: 'success', certificate: { expiresAt } })
    }
    assert.deepEqual(world.rdap.questions, ['www.example.test', 'example.test'])
    world.clock.advance(12 * HOUR_MS - 1)
    await world.look('example.test')
    assert.equal(world.rdap.questions.length, 2)
    world.clock.advance(1)
    await world.look('example.test')
    assert.equal(world.rdap.questions.length, 3)
  })

  test('but not beyond the expiry', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', '2026-01-01T01:00:00Z'))
    assert.equal((await world.look('example.test')).outcome, 'success')
    world.clock.advance(HOUR_MS)
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'success', certificate: { expiresAt } })
  })

  test('and looked up once when many probes need it at the same time', async () => {
    await using world = await startRegistries()
    world.rdap.domains.set('example.test', domain('example.test', EXPIRY))
    const samples = await Promise.all(Array.from({ length: 8 }, () => world.look('example.test')))
    assert.deepEqual(new Set(samples.map(({ outcome }) => outcome)), new Set(['success']))
    assert.deepEqual([world.rdap.questions, world.rdap.lists()], [['example.test'], 1])
  })

  test('the list of servers for a day; an old one is used while it cannot be fetched', async () => {
    await using world = await startRegistries()
    world.rdap.everything = (response, request) =>
      domain(request.url?.split('/').at(-1) ?? '', EXPIRY)(response, request)
    await world.look('a.test')
    world.clock.advance(DAY_MS - 1)
    await world.look('b.test')
    assert.equal(world.rdap.lists(), 1)
    for (const bad of [status(500), json({ services: 'none' }), json([])]) {
      world.rdap.list = bad
      world.clock.advance(10 * MINUTE_MS)
      assert.equal((await world.look(`x${world.rdap.lists()}.test`)).outcome, 'success')
      assert.equal((await world.look(`y${world.rdap.lists()}.test`)).outcome, 'success')
    }
    assert.equal(world.rdap.lists(), 4)
    assert.equal(world.whois.questions.length, 0)
  })
})
