import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { CertificateDetails, Sample } from '../../../src/contract/probe.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { afterGoodCheck, type MonitorEvidence, volatileIn } from '../../../src/monitoring/evidence/history.ts'
import { pageFacts, similarityHash } from '../../../src/monitoring/evidence/page.ts'
import { incidentEvidence } from '../../../src/monitoring/evidence/summarize.ts'
import { type EvidenceMemory, knownPage, seenBy, trackGood } from '../../../src/monitoring/evidence/track.ts'
import { memoryText, readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import { inEnglish, words as reasonOf } from '../../support/reasons.ts'

type Success = Extract<Sample, { outcome: 'success' }>
type Failure = Extract<Sample, { outcome: 'failure' }>

/** A response and its connection, as a probe sees them. */
interface Seen {
  readonly ip: string
  readonly addresses: readonly string[]
  readonly certificate: string
  readonly issuer: string
  readonly names: readonly string[]
  readonly protocol: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly finalUrl: string
  readonly redirects: readonly number[]
  readonly body: string
  readonly timings: Readonly<Record<string, number>>
}

const words =
  'welcome to our shop where you can buy lamps chairs tables and many other things for your home every day of the week'
const page = (title: string, text: string, script = 'cdn.example') =>
  `<!doctype html><html><head><title>${title}</title><script src="https://${script}/app.js"></script></head><body><p>${words}</p>${text}</body></html>`

const shop: Seen = {
  ip: '192.0.2.10',
  addresses: ['192.0.2.10'],
  certificate: 'AA:BB:CC:DD:EE:FF:00:11',
  issuer: "R10 (Let's Encrypt)",
  names: ['shop.example'],
  protocol: 'TLSv1.3',
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', server: 'nginx/1.24.0', 'cache-control': 'max-age=60' },
  finalUrl: 'https://shop.example/',
  redirects: [],
  body: page('Shop', '<p>Open today</p>'),
  timings: { dnsMs: 3, connectMs: 12, tlsMs: 20, firstByteMs: 40, downloadMs: 5 },
}

/** The sample of a probe that was sent `known`. */
function sampleOf(seen: Seen, known: string | undefined, details = true): Success {
  const { ip, certificate, issuer, names, protocol, status, body, timings } = seen
  const page = pageFacts(known ?? '', seen, { checksum: crc32(body), bytes: body.length, text: () => body })
  const found: CertificateDetails = {
    kind: 'certificate',
    subject: '',
    issuer,
    names,
    nameCount: names.length,
    serial: '',
    protocol,
    chain: [],
    fingerprint: certificate,
    validFrom: Date.UTC(2026, 7, 1),
    validTo: Date.UTC(2026, 9, 30),
  }
  return {
    outcome: 'success',
    ip,
    statusCode: status,
    timings,
    certificate: { fingerprint: certificate, expiresAt: 0 },
    ...(details && { details: { key: certificate, found } }),
    ...(page && { page: { key: page.key, fields: page.fields as Record<string, string> } }),
  }
}

/** A monitor whose good checks are made one per minute. */
class Monitor {
  memory: EvidenceMemory | null = null
  stored: MonitorEvidence | null = null
  now = Date.UTC(2026, 0, 1)
  parsed = 0
  writes = 0

  check(seen: Seen): void {
    this.now += MINUTE_MS
    const sample = sampleOf(seen, knownPage(this.memory))
    if (sample.page !== undefined) this.parsed += 1
    const { memory, good } = trackGood(this.memory, sample)
    this.memory = memory
    if (good === null) return
    this.writes += 1
    this.stored = afterGoodCheck(this.stored, good, this.now)
  }

  checks(count: number, seen: (i: number) => Seen): this {
    for (let i = 0; i < count; i += 1) this.check(seen(i))
    return this
  }

  /** The evidence of an incident that a failure opens. Without a response by default. */
  fail(failure: Partial<Failure> = {}) {
    this.now += MINUTE_MS
    const sample = {
      outcome: 'failure',
      code: 'CONNECT',
      error: reasonOf('refused'),
      kind: 'connection',
      ...failure,
    } as Failure
    const evidence = incidentEvidence(this.stored, this.memory, this.now - MINUTE_MS, {
      at: this.now,
      code: sample.code,
      error: sample.error,
      fields: seenBy(sample),
      phases: sample.timings ?? {},
    })
    return { ...evidence, summary: inEnglish(evidence.summary) }
  }

  /** The reported changes of good checks. */
  reported() {
    const volatile = volatileIn(this.stored as MonitorEvidence, this.memory)
    return (this.stored as MonitorEvidence).changes.filter(({ field }) => !volatile.has(field))
  }
}

const stable = (count = 200) => new Monitor().checks(count, () => shop)
const withHeaders = (headers: Record<string, string>): Seen => ({ ...shop, headers: { ...shop.headers, ...headers } })

/** Changes of a healthy target, and how the first sentence begins that names each. */
const planted: readonly [name: string, after: Seen, expected: RegExp][] = [
  ['certificate replaced', { ...shop, certificate: '11:22' }, /^Certificate replaced 10 min earlier\.$/],
  [
    'issuer changed',
    { ...shop, certificate: '11:22', issuer: 'E5' },
    /^Certificate replaced: issuer changed from "R10 \(Let's Encrypt\)" to E5 10 min earlier\.$/,
  ],
  [
    'names changed',
    { ...shop, certificate: '11:22', names: ['other.example'] },
    /^Certificate replaced: names changed from shop\.example to other\.example 10 min earlier\.$/,
  ],
  [
    'wildcard',
    { ...shop, certificate: '33:44', names: ['*.example', 'shop.example'] },
    /^Certificate replaced: names changed/,
  ],
  [
    'TLS version',
    { ...shop, protocol: 'TLSv1.2', certificate: shop.certificate.slice(0, -1) },
    /^Certificate replaced/,
  ],
  ['address in the network', { ...shop, ip: '192.0.2.99' }, /^IP address changed .*192\.0\.2\.99/],
  [
    'address moved',
    { ...shop, ip: '198.51.100.7' },
    /^IP address changed from 192\.0\.2\.10 to 198\.51\.100\.7 10 min earlier\.$/,
  ],
  ['address moved to IPv6', { ...shop, ip: '2001:db8:1::5' }, /^IP address changed .*2001:db8:1::5/],
  ['DNS answer', { ...shop, addresses: ['192.0.2.10', '192.0.2.11'] }, /^DNS answer changed .*192\.0\.2\.11/],
  ['DNS moved', { ...shop, ip: '203.0.113.1', addresses: ['203.0.113.1'] }, /^IP address changed .*203\.0\.113\.1/],
  [
    'redirect added',
    { ...shop, redirects: [302], finalUrl: 'https://shop.example/login' },
    /^Final URL changed .*login/,
  ],
  ['redirect to itself', { ...shop, redirects: [301] }, /^Redirects changed .*301/],
  ['two redirects', { ...shop, redirects: [301, 302] }, /^Redirects changed .*301, 302/],
  ['other host', { ...shop, finalUrl: 'https://parked.example/' }, /^Final URL changed .*parked/],
  ['status', { ...shop, status: 204 }, /^Status code changed .*204/],
  ['status 203', { ...shop, status: 203 }, /^Status code changed .*203/],
  ['server header', withHeaders({ server: 'cloudflare' }), /^Server changed .*cloudflare/],
  ['server version', withHeaders({ server: 'nginx/1.26.1' }), /^Server changed .*1\.26\.1/],
  ['PHP appears', withHeaders({ 'x-powered-by': 'PHP/8.3' }), /^Server changed .*PHP/],
  ['proxy appears', withHeaders({ via: '1.1 varnish' }), /^Server changed .*varnish/],
  ['cache header', withHeaders({ 'cache-control': 'no-store' }), /^Cache headers changed .*no-store/],
  ['vary', withHeaders({ vary: 'Cookie' }), /^Cache headers changed .*Cookie/],
  [
    'location',
    { ...withHeaders({ location: '/new?token=1' }) },
    /^Location header changed from none to \/new 10 min earlier\.$/,
  ],
  ['content type', withHeaders({ 'content-type': 'application/json' }), /^Content type changed .*json/],
  ['charset', withHeaders({ 'content-type': 'text/html' }), /^Content type changed/],
  ['title', { ...shop, body: page('Maintenance', '<p>Open today</p>') }, /^Page title changed .*Maintenance/],
  ['title gone', { ...shop, body: page('', '<p>Open today</p>') }, /^Page title changed .*none/],
  ['script host', { ...shop, body: page('Shop', '<p>Open today</p>', 'evil.example') }, /^Script hosts changed .*evil/],
  [
    'another text',
    {
      ...shop,
      body: shop.body.replace(
        words,
        'hacked by nobody lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt',
      ),
    },
    /^Page text changed/,
  ],
  [
    'much longer',
    { ...shop, body: page('Shop', `<p>${'Open today '.repeat(2_000)}</p>`) },
    /^Response size changed .*up to/,
  ],
]

for (const [name, after, expected] of planted) {
  test(`a change before an outage is named first: ${name}`, () => {
    const monitor = stable().checks(10, () => after)
    assert.match(monitor.fail().summary[0] ?? '', expected)
  })
}

test('a change with the failure is named first, with its values, and nothing that follows from it', () => {
  const failed = sampleOf({ ...shop, certificate: '11:22', issuer: 'Unknown CA' }, undefined)
  const { summary, changes, lastGood } = stable().fail({
    ...failed,
    outcome: 'failure',
    code: 'TLS',
  } as Partial<Failure>)
  assert.deepEqual(summary, [`Certificate replaced: issuer changed from "R10 (Let's Encrypt)" to "Unknown CA".`])
  assert.deepEqual(
    changes.map(({ field, rarity }) => [field, rarity]),
    [
      ['certificate', 0],
      ['issuer', 0],
    ],
  )
  assert.equal(lastGood?.fields.title, 'Shop')
})

/** What the failed check and a good check 10 minutes before saw, and the whole summary. */
const outages: readonly [name: string, failed: Seen, code: Failure['code'], older: Seen | null, summary: string[]][] = [
  ['the same page without a keyword', shop, 'KEYWORD', null, ['Nothing else changed.']],
  ['the status alone', { ...shop, status: 503 }, 'STATUS', null, ['Only the status code changed.']],
  [
    'a status that the error does not name',
    { ...shop, status: 204 },
    'KEYWORD',
    null,
    ['Status code changed from 200 to 204.', 'Nothing else changed.'],
  ],
  [
    'another server',
    { ...withHeaders({ server: 'envoy' }), status: 503 },
    'STATUS',
    null,
    ['Server changed from nginx/1.24.0 to envoy.'],
  ],
  [
    'another server and its error page, after another certificate',
    {
      ...withHeaders({ server: 'envoy', 'cache-control': 'no-store' }),
      certificate: '11:22',
      status: 503,
      body: page('503 error', ''),
    },
    'STATUS',
    { ...shop, certificate: '11:22' },
    ['Server changed from nginx/1.24.0 to envoy.', 'Certificate replaced 10 min earlier.'],
  ],
  ['an error page', { ...shop, status: 503, body: page('503 error', '') }, 'STATUS', null, []],
  [
    'everything',
    {
      ...withHeaders({ server: 'envoy' }),
      ip: '198.51.100.7',
      certificate: '11:22',
      finalUrl: 'https://shop.example/login',
    },
    'KEYWORD',
    withHeaders({ 'cache-control': 'no-store' }),
    [
      'Server changed from nginx/1.24.0 to envoy.',
      'IP address changed from 192.0.2.10 to 198.51.100.7.',
      'Certificate replaced.',
    ],
  ],
  [
    'cache headers and title',
    { ...withHeaders({ 'cache-control': 'no-store' }), body: page('Down', '<p>Open today</p>') },
    'KEYWORD',
    null,
    [
      'Cache headers changed from "cache-control: max-age=60" to "cache-control: no-store".',
      'Page title changed from "Shop" to "Down".',
      'Nothing else changed.',
    ],
  ],
  [
    'an older change alone',
    { ...withHeaders({ server: 'envoy' }), status: 503 },
    'STATUS',
    withHeaders({ server: 'envoy' }),
    ['Server changed from nginx/1.24.0 to envoy 10 min earlier.'],
  ],
]

for (const [name, failed, code, older, expected] of outages) {
  test(`the summary of an outage with ${name}`, () => {
    const monitor = stable()
    if (older !== null) monitor.checks(10, () => older)
    const sample = { ...sampleOf(failed, undefined), outcome: 'failure', code } as Partial<Failure>
    const { summary, changes } = monitor.fail(sample)
    assert.deepEqual(summary, expected)
    const named = summary.filter((sentence) => sentence !== 'Nothing else changed.')
    if (named.length < summary.length) assert.equal(changes.length, named.length, 'the table has no other row')
  })
}

test('a certificate is listed with its issuer, dates and the end of its fingerprint', () => {
  const failed = { ...sampleOf({ ...shop, certificate: '11:22:33:44' }, undefined), outcome: 'failure', code: 'TLS' }
  const [change] = stable().fail(failed as Partial<Failure>).changes
  assert.equal(change?.before, "R10 (Let's Encrypt), 2026-08-01 to 2026-10-30, …00:11")
  assert.equal(change?.after, "R10 (Let's Encrypt), 2026-08-01 to 2026-10-30, …33:44")
})

test('changes are reported from the third good check on', () => {
  const failed = () => failureOf(withHeaders({ server: 'envoy' }))
  const counts = [1, 2, 3, 4].map((count) => stable(count).fail(failed()).changes.length)
  assert.deepEqual(counts, [0, 0, 1, 1])
})

test('a body that changes at every request delays neither its title nor headers, certificate and address', () => {
  const nonce = (i: number): Seen => ({
    ...shop,
    body: page('Shop', `<script nonce="${random(i)}"></script>${random(i)}`),
  })
  const changes: readonly [field: string, (seen: Seen) => Seen][] = [
    ['server', (seen) => ({ ...seen, headers: { ...seen.headers, server: 'envoy' } })],
    ['title', (seen) => ({ ...seen, body: seen.body.replace('Shop', 'Closed') })],
    ['certificate', (seen) => ({ ...seen, certificate: '11:22' })],
    ['address', (seen) => ({ ...seen, ip: '192.0.2.99' })],
  ]
  for (const [field, change] of changes) {
    const monitor = new Monitor().checks(500, nonce)
    monitor.check(change(nonce(500)))
    assert.deepEqual(
      monitor.reported().map((one) => one.field),
      [field],
    )
    for (const count of [3, 12]) {
      const { changes: found } = new Monitor().checks(count, nonce).fail(failureOf(change(nonce(count))))
      assert.ok(
        found.some((one) => one.field === field),
        `${field} after ${count}`,
      )
    }
  }
})

test('an address that changes at every check delays nothing but itself', () => {
  const moving = (i: number): Seen => ({ ...shop, ip: `192.0.2.${i % 200}` })
  const monitor = new Monitor().checks(500, moving)
  monitor.check({ ...moving(500), headers: { ...shop.headers, server: 'envoy' } })
  assert.deepEqual(
    monitor.reported().map(({ field }) => field),
    ['server'],
  )
})

test('what an earlier version has stored in a state row is forgotten, not read', () => {
  const stored = { evidence: ['127.0.0.1||200', 'abc.def', 12, 0, 0, [0, [1, 1], 0, 0, 0]] }
  assert.equal(readMemory(JSON.stringify(stored), 0).evidence, null)
  const { memory } = new Monitor().checks(30, (i) => ({ ...shop, body: page('Shop', random(i)) }))
  const read = readMemory(memoryText({ ...readMemory('{}', 0), evidence: memory }), 0)
  assert.deepEqual(read.evidence, memory)
})

test('a phase that takes unusually long is named', () => {
  const slow = { ...shop, timings: { ...shop.timings, tlsMs: 120 } }
  const failed = {
    ...sampleOf({ ...slow, status: 503 }, undefined),
    outcome: 'failure',
    code: 'STATUS',
  } as Partial<Failure>
  const { summary, phases } = stable().fail(failed)
  assert.deepEqual(summary, ['The TLS handshake took 120 ms instead of 20 ms.'])
  assert.deepEqual(phases.tlsMs, { typicalMs: 20, failedMs: 120 })
})

test('an old change is not named, and without a response nothing is said about the page', () => {
  const monitor = stable().checks(10, () => ({ ...shop, certificate: '11:22' }))
  monitor.now += 2 * HOUR_MS
  assert.deepEqual(monitor.fail().summary, ['Nothing changed in the hour before.'])
  assert.deepEqual(new Monitor().fail().summary, [])
  assert.deepEqual(stable(30).fail().summary, [], 'it was monitored for half an hour')
  const { summary, lastGood } = stable(2).fail(failureOf({ ...shop, body: page('Error', '') }))
  assert.deepEqual([summary, lastGood?.fields.title], [[], 'Shop'], 'it may be volatile')
})

const random = (i: number) =>
  similarityHash(
    `seed ${'abcdefghij'[i % 10]}${'klmnopqrst'[Math.floor(i / 10) % 10]} ${'uvwxyz'[Math.floor(i / 100) % 6]}${'abcdefghijk'[Math.floor(i / 600)]}`,
  )

/** Pages that differ at every request. */
const restless: readonly [name: string, at: (i: number) => Seen][] = [
  ['a clock in the text', (i) => ({ ...shop, body: page('Shop', `<p>It is 12:${i % 60}:${i % 59}</p>`) })],
  ['a clock in the title', (i) => ({ ...shop, body: page(`Shop 12:${i}`, '') })],
  ['a nonce', (i) => ({ ...shop, body: page('Shop', `<script nonce="${random(i)}">f("${random(i + 1)}")</script>`) })],
  ['a token in a form', (i) => ({ ...shop, body: page('Shop', `<input value="${random(i)}"><p>${random(i)}</p>`) })],
  [
    'A/B variants',
    (i) => ({ ...shop, body: i % 2 ? page('Shop A', '<p>Buy now</p>') : page('Shop', '', 'b.example') }),
  ],
  ['one of five servers', (i) => withHeaders({ via: `node-${(i * 7) % 5}` })],
  ['one of two addresses', (i) => ({ ...shop, ip: (i * i) % 3 ? '192.0.2.10' : '198.51.100.1' })],
  ['a random quote', (i) => ({ ...shop, body: page('Shop', `<p>${random(i)} ${random(2 * i)} said somebody</p>`) })],
  ['two certificates', (i) => ({ ...shop, certificate: i % 3 ? '11:22' : '33:44' })],
  [
    'random redirects',
    (i) => ({ ...shop, redirects: i % 4 ? [302] : [], finalUrl: `https://shop.example/${random(i)}` }),
  ],
]

for (const [name, at] of restless) {
  test(`nothing false is reported of a page with ${name}`, () => {
    const monitor = new Monitor()
    const summaries = new Set<string>()
    for (let i = 0; i < 1_000; i += 1) {
      monitor.check(at(i))
      if (i % 50 === 0)
        for (const text of monitor.fail(i % 100 ? {} : failureOf(at(i + 1))).summary) summaries.add(text)
    }
    summaries.delete('Nothing else changed.')
    summaries.delete('Nothing changed in the hour before.')
    assert.deepEqual(
      [...summaries, ...monitor.reported().map(({ field, before, after }) => [field, before, after])],
      [],
    )
    assert.ok((monitor.stored as MonitorEvidence).changes.length <= 50)
    assert.ok(monitor.writes <= 60, `${monitor.writes} writes`)
  })
}

function failureOf(seen: Seen): Partial<Failure> {
  return {
    ...sampleOf(seen, undefined),
    outcome: 'failure',
    code: 'KEYWORD',
    error: reasonOf('not found'),
    kind: 'content',
  } as Partial<Failure>
}

test('an unchanged page is parsed and written once, one that always changes about once in 32 checks', () => {
  const quiet = stable(1_000)
  assert.deepEqual([quiet.parsed, quiet.writes], [1, 1])
  const restlessPage = new Monitor().checks(1_000, (i) => ({ ...shop, body: page(`${random(i)}${i}`, '') }))
  assert.ok(restlessPage.parsed < 45, `${restlessPage.parsed}`)
})

test('a hostile body is parsed within its bounds', () => {
  const hostile = [
    '<'.repeat(1e6),
    '<script '.repeat(1e5),
    '<title'.repeat(1e5),
    '<style>'.repeat(1e5),
    'a1 '.repeat(4e5),
  ]
  for (const body of hostile) {
    const before = process.cpuUsage()
    pageFacts('', { ...shop, headers: {} }, { checksum: 1, bytes: body.length, text: () => `<html>${body}` })
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 2_000_000, body.slice(0, 10))
  }
})
