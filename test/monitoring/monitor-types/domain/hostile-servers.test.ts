import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { MINUTE_MS } from '../../../../src/lib/clock.ts'
import { listen } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { closedPort } from '../../../support/ports.ts'
import { domain, json, notFound, type Respond, startRegistries, status } from '../../../support/rdap-server.ts'
import type { ShownSample } from '../../../support/reasons.ts'

const EXPIRY = '2027-03-04T05:06:07Z'
const expiresAt = Date.parse(EXPIRY)
const known = (question: string) =>
  question === 'test' ? 'whois: whois.nic.test' : `Domain Name: EXAMPLE.TEST\r\nRegistry Expiry Date: ${EXPIRY}\r\n`

let time: Disposable
before(() => {
  time = startVirtualTime()
})
after(() => time[Symbol.dispose]())

function reasonOf(sample: ShownSample): string {
  assert.ok(sample.outcome === 'inconclusive', JSON.stringify(sample))
  return sample.reason
}

const endless: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/rdap+json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const dripping: Respond = (response) => {
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

const BAD_RDAP: readonly (readonly [string, Respond, RegExp])[] = [
  ['limits the rate', status(429, { 'retry-after': '60' }), /returned HTTP 429/],
  ['is overloaded', status(503), /returned HTTP 503/],
  ['has a fault', status(500), /returned HTTP 500/],
  ['refuses', status(403), /returned HTTP 403/],
  ['finds the name itself malformed', status(400), /returned HTTP 400/],
  ['sends a web page', (response) => response.end('<html>Welcome</html>'), /is not JSON/],
  ['sends an empty page', (response) => response.end(), /is not JSON/],
  ['sends JSON that is no domain', json({ hello: 'world' }), /is not RDAP/],
  ['sends null', json(null), /is not RDAP/],
  ['sends another object', json({ objectClassName: 'nameserver', ldhName: 'example.test' }), /another domain than/],
  ['sends another domain', domain('evil.test', EXPIRY), /another domain than/],
  ['sends the top-level domain', domain('test', EXPIRY), /another domain than/],
  ['sends a body without end', endless, /larger than 256 KiB/],
  ['sends a byte now and then', dripping, /No response within/],
  ['never answers', () => {}, /No response within/],
  ['hangs up', (response) => response.destroy(), /Connection closed without a response/],
  [
    'breaks off',
    (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    /before the response was complete/,
  ],
  [
    'redirects in a circle',
    (response, request) => status(302, { location: request.url })(response, request),
    /More than 5 redirects/,
  ],
  ['redirects to nowhere', status(302, { location: 'gopher://x' }), /Redirected to a gopher: URL/],
]

describe('an RDAP server that', () => {
  for (const [what, respond, sentence] of BAD_RDAP) {
    test(`${what} is no loss while WHOIS answers, and no verdict when it does not`, async () => {
      await using world = await startRegistries()
      world.rdap.everything = respond
      world.whois.answer = known
      // Virtual time: long where the timeout must not matter.
      const timeoutMs = sentence.source.includes('No response') ? 1000 : 60_000
      const good = await world.look('example.test', { timeoutMs })
      assert.partialDeepStrictEqual(good, { outcome: 'success', certificate: { expiresAt } })
      world.whois.answer = () => 'No match'
      const bad = reasonOf(await world.look('other.test', { timeoutMs }))
      assert.match(bad, /^Could not look up the registration of other\.test: RDAP: .*; WHOIS: not registered$/)
      assert.match(bad, sentence)
      await world.rdap.quiet()
    })
  }

  test('redirects is followed, as far as the guard allows', async () => {
    await using other = await listen(
      createServer((_request, response) => domain('example.test', EXPIRY)(response, _request)),
    )
    await using world = await startRegistries({ policy: '127.0.0.1' })
    world.rdap.everything = status(307, { location: `http://127.0.0.1:${other.port}/domain/example.test` })
    assert.equal((await world.look('example.test')).outcome, 'success')
    assert.equal(other.connections(), 1)
    world.rdap.everything = status(307, { location: 'http://127.0.0.9/domain/example.test' })
    assert.match(reasonOf(await world.look('other.test')), /127\.0\.0\.9 is a private address/)
  })

  test('is on a forbidden address is not asked, and neither is WHOIS', async () => {
    await using world = await startRegistries({ policy: 'deny' })
    assert.match(reasonOf(await world.look('example.test')), /RDAP: .* private address.*; WHOIS: .* private address/)
    assert.deepEqual([world.rdap.connections(), world.whois.connections()], [0, 0])
  })

  test('cannot be found for want of a list leaves the question to WHOIS', async () => {
    await using world = await startRegistries()
    world.whois.answer = known
    world.rdap.list = (response) => response.end('garbage')
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'success', certificate: { expiresAt } })
    assert.equal(world.rdap.questions.length, 0)
  })
})

type Reply = string | ((socket: Socket) => void)
const flood = (socket: Socket) => {
  const more = () => {
    while (!socket.destroyed && socket.write('la '.repeat(20_000)));
  }
  socket.on('drain', more)
  more()
}
const BAD_WHOIS: readonly (readonly [string, Reply, RegExp])[] = [
  ['refuses', 'WHOIS LIMIT EXCEEDED', /whois\.nic\.test refused the query/],
  ['talks nonsense', 'Welcome to the registry!', /was not understood/],
  ['calls the name malformed', 'Malformed request', /was not understood/],
  ['says nothing', '', /closed the connection without a response/],
  ['hangs up', (socket) => socket.destroy(), /closed the connection without a response/],
  ['resets the connection', (socket) => socket.resetAndDestroy(), /closed the connection without a response/],
  ['stays silent', () => {}, /No response within/],
  ['talks without end', flood, /was not understood/],
  ['sends bytes of no meaning', '\0\xff\xfe'.repeat(9000), /was not understood/],
]

describe('a WHOIS server that', () => {
  for (const [what, reply, sentence] of BAD_WHOIS) {
    test(`${what} gives no verdict, not even where RDAP denies the name`, async () => {
      await using world = await startRegistries()
      world.whois.answer = (question) => (question === 'test' ? 'whois: whois.nic.test' : reply)
      const timeoutMs = sentence.source.includes('No response') ? 300 : 60_000
      assert.match(reasonOf(await world.look('example.test', { timeoutMs })), sentence)
      world.rdap.domains.set('undated.test', domain('undated.test', null))
      assert.match(reasonOf(await world.look('undated.test', { timeoutMs })), sentence)
      await world.whois.quiet()
    })
  }

  test('ends with a reset after the entry has still given it', async () => {
    await using world = await startRegistries()
    world.rdap.everything = status(500)
    world.whois.answer = (question) => (socket) => socket.write(known(question), () => socket.resetAndDestroy())
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'success', certificate: { expiresAt } })
  })

  test('has an entry that goes on and on is read as far as 64 KiB', async () => {
    await using world = await startRegistries()
    world.rdap.everything = status(500)
    world.whois.answer = (question) => (socket) => {
      socket.write(known(question))
      if (question !== 'test') flood(socket)
      else socket.end()
    }
    assert.equal((await world.look('example.test')).outcome, 'success')
    await world.whois.quiet()
  })

  test('is gone is no doubt where RDAP denies the name in its own words, and is where a web server does', async () => {
    await using world = await startRegistries({ whoisPort: await closedPort() })
    const error = 'example.test is not registered'
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'failure', code: 'DOMAIN', error })
    world.rdap.everything = status(404, { 'content-type': 'text/html' })
    assert.match(reasonOf(await world.look('other.test')), /RDAP: not registered; WHOIS: Connection refused/)
  })

  test('does not exist leaves the verdict to RDAP, and none where that is not spoken either', async () => {
    await using world = await startRegistries()
    world.whois.answer = (question) => `domain: ${question.toUpperCase()}\nstatus: ACTIVE\nwhois:\n`
    assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'failure', code: 'DOMAIN' })
    assert.match(reasonOf(await world.look('example.com')), /RDAP: no server .*; WHOIS: no server/)
  })

  test('refers to itself is not asked again', async () => {
    await using world = await startRegistries()
    world.rdap.everything = status(500)
    world.whois.answer = (question) => `Domain: ${question}\nWhois Server: whois.nic.test`
    assert.equal((await world.look('example.test')).outcome, 'success')
    assert.deepEqual(world.whois.questions, ['test\r\n', 'example.test\r\n'])
  })

  test('refers to another server each time is asked twice at most', async () => {
    await using world = await startRegistries()
    world.rdap.everything = status(500)
    world.whois.answer = (question) =>
      `Domain: ${question}\nWhois Server: whois${world.whois.questions.length}.test\nRefer: a.test`
    assert.equal((await world.look('example.test')).outcome, 'success')
    assert.deepEqual(world.whois.questions, ['test\r\n', 'example.test\r\n', 'example.test\r\n'])
  })
})

describe('a look-up that failed', () => {
  test('is not repeated at every check', async () => {
    await using world = await startRegistries()
    world.rdap.everything = status(429)
    world.whois.answer = () => 'quota exceeded'
    const reason = reasonOf(await world.look('example.test'))
    const asked = world.rdap.questions.length
    assert.equal(reasonOf(await world.look('example.test')), reason)
    assert.equal(world.rdap.questions.length, asked)
    world.rdap.everything = domain('example.test', EXPIRY)
    world.clock.advance(5 * MINUTE_MS)
    assert.equal((await world.look('example.test')).outcome, 'success')
  })

  test('for want of time says so in time, to those who waited for it too', async () => {
    await using world = await startRegistries()
    world.rdap.everything = () => {}
    world.whois.answer = () => () => {}
    const samples = await Promise.all([
      world.look('example.test', { timeoutMs: 300 }),
      world.look('www.example.test', { timeoutMs: 200 }),
    ])
    for (const sample of samples) assert.match(reasonOf(sample), /No response within/)
    await world.rdap.quiet()
  })

  test('because it was called off is not remembered; who waited looks it up', async () => {
    await using world = await startRegistries()
    world.rdap.everything = () => {}
    const controller = new AbortController()
    const first = world.look('example.test', {}, controller.signal)
    const second = world.look('example.test')
    while (world.rdap.questions.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    world.rdap.everything = (response, request) => domain('example.test', EXPIRY)(response, request)
    controller.abort()
    assert.deepEqual(await first, { outcome: 'inconclusive', reason: 'The check was cancelled' })
    assert.equal((await second).outcome, 'success')
    await world.rdap.quiet()
  })
})

test('a denial in the body counts as one', async () => {
  await using world = await startRegistries()
  world.rdap.everything = json({ errorCode: 404, title: 'Not found' })
  assert.partialDeepStrictEqual(await world.look('example.test'), { outcome: 'failure', code: 'DOMAIN' })
  world.rdap.everything = notFound
  assert.partialDeepStrictEqual(await world.look('other.test'), { outcome: 'failure', code: 'DOMAIN' })
})
