import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { CertificateDetails, Sample } from '../../../src/contract/probe.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { afterGoodCheck, type MonitorEvidence, volatileIn } from '../../../src/monitoring/evidence/history.ts'
import { bodyFields, headFields, headKey, similarityHash } from '../../../src/monitoring/evidence/page.ts'
import { incidentEvidence } from '../../../src/monitoring/evidence/summarize.ts'
import { type EvidenceMemory, knownPage, SKIP_PAGE, seenBy, trackGood } from '../../../src/monitoring/evidence/track.ts'

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
  const { ip, certificate, issuer, names, protocol, status, headers, body, timings } = seen
  const head = headFields(seen)
  const key = `${headKey(seen)}.${crc32(body)}`
  const isPage = known !== key && known !== SKIP_PAGE
  const fields = { ...head, ...bodyFields(body, headers['content-type'], body.length) }
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
    validFrom: null,
    validTo: null,
  }
  return {
    outcome: 'success',
    ip,
    statusCode: status,
    timings,
    certificate: { fingerprint: certificate, expiresAt: 0 },
    ...(details && { details: { key: certificate, found } }),
    ...(isPage && { page: { key, fields: fields as Record<string, string> } }),
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
    const sample = { outcome: 'failure', code: 'CONNECT', error: 'refused', kind: 'connection', ...failure } as Failure
    return incidentEvidence(this.stored, this.memory, this.now - MINUTE_MS, {
      at: this.now,
      code: sample.code,
      error: sample.error,
      fields: seenBy(sample),
      phases: sample.timings ?? {},
    })
  }

  /** The reported changes of good checks. */
  reported() {
    const volatile = volatileIn(this.stored as MonitorEvidence, this.memory?.checks)
    return (this.stored as MonitorEvidence).changes.filter(({ field }) => !volatile.has(field))
  }
}

const stable = (count = 200) => new Monitor().checks(count, () => shop)
const withHeaders = (headers: Record<string, string>): Seen => ({ ...shop, headers: { ...shop.headers, ...headers } })

/** Changes of a healthy target, and how the first sentence begins that names each. */
const planted: readonly [name: string, after: Seen, expected: RegExp][] = [
  ['certificate replaced', { ...shop, certificate: '11:22' }, /^The certificate was replaced/],
  ['issuer changed', { ...shop, certificate: '11:22', issuer: 'E5' }, /^The issuer of the certificate changed .*E5/],
  [
    'names changed',
    { ...shop, certificate: '11:22', names: ['other.example'] },
    /^The names in the certificate changed/,
  ],
  [
    'wildcard',
    { ...shop, certificate: '33:44', names: ['*.example', 'shop.example'] },
    /^The names in the certificate/,
  ],
  [
    'TLS version',
    { ...shop, protocol: 'TLSv1.2', certificate: shop.certificate.slice(0, -1) },
    /^The (certificate was replaced|TLS version)/,
  ],
  ['address in the network', { ...shop, ip: '192.0.2.99' }, /^The address changed .*192\.0\.2\.99/],
  ['address moved', { ...shop, ip: '198.51.100.7' }, /^The network of the address changed .*198\.51\.100\.0\/24/],
  ['address moved to IPv6', { ...shop, ip: '2001:db8:1::5' }, /^The network of the address changed .*2001:db8:1::\/48/],
  ['DNS answer', { ...shop, addresses: ['192.0.2.10', '192.0.2.11'] }, /^The DNS answer changed .*192\.0\.2\.11/],
  ['DNS moved', { ...shop, ip: '203.0.113.1', addresses: ['203.0.113.1'] }, /^The DNS answer changed .*203\.0\.113\.1/],
  [
    'redirect added',
    { ...shop, redirects: [302], finalUrl: 'https://shop.example/login' },
    /^The final URL changed .*login/,
  ],
  ['redirect to itself', { ...shop, redirects: [301] }, /^The redirects changed .*301/],
  ['two redirects', { ...shop, redirects: [301, 302] }, /^The redirects changed .*301, 302/],
  ['other host', { ...shop, finalUrl: 'https://parked.example/' }, /^The final URL changed .*parked/],
  ['status', { ...shop, status: 204 }, /^The status code changed .*204/],
  ['status 203', { ...shop, status: 203 }, /^The status code changed .*203/],
  ['server header', withHeaders({ server: 'cloudflare' }), /^The server header changed .*cloudflare/],
  ['server version', withHeaders({ server: 'nginx/1.26.1' }), /^The server header changed .*1\.26\.1/],
  ['PHP appears', withHeaders({ 'x-powered-by': 'PHP/8.3' }), /^The server header changed .*PHP/],
  ['proxy appears', withHeaders({ via: '1.1 varnish' }), /^The server header changed .*varnish/],
  ['cache header', withHeaders({ 'cache-control': 'no-store' }), /^The cache headers changed .*no-store/],
  ['vary', withHeaders({ vary: 'Cookie' }), /^The cache headers changed .*Cookie/],
  ['location', { ...withHeaders({ location: '/new?token=1' }) }, /^The location header changed .*"\/new"/],
  ['content type', withHeaders({ 'content-type': 'application/json' }), /^The content type changed .*json/],
  ['charset', withHeaders({ 'content-type': 'text/html' }), /^The content type changed/],
  [
    'title',
    { ...shop, body: page('Maintenance', '<p>Open today</p>') },
    /^The title of the page changed .*Maintenance/,
  ],
  ['title gone', { ...shop, body: page('', '<p>Open today</p>') }, /^The title of the page changed .*none/],
  [
    'script host',
    { ...shop, body: page('Shop', '<p>Open today</p>', 'evil.example') },
    /^The hosts of scripts changed .*evil/,
  ],
  [
    'another text',
    {
      ...shop,
      body: shop.body.replace(
        words,
        'hacked by nobody lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt',
      ),
    },
    /^The text of the page changed/,
  ],
  [
    'much longer',
    { ...shop, body: page('Shop', `<p>${'Open today '.repeat(2_000)}</p>`) },
    /^The size of the response changed .*up to/,
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
  assert.deepEqual(summary, [
    `The issuer of the certificate changed from "R10 (Let's Encrypt)" to "Unknown CA".`,
    'Nothing else changed.',
  ])
  assert.deepEqual(
    changes.map(({ field, rarity }) => [field, rarity]),
    [
      ['certificate', 0],
      ['issuer', 0],
    ],
  )
  assert.equal(lastGood?.fields.title, 'Shop')
})

test('a phase that takes unusually long is named', () => {
  const slow = { ...shop, timings: { ...shop.timings, tlsMs: 120 } }
  const failed = {
    ...sampleOf({ ...slow, status: 503 }, undefined),
    outcome: 'failure',
    code: 'STATUS',
  } as Partial<Failure>
  const { summary, phases } = stable().fail(failed)
  assert.deepEqual(summary, ['The TLS handshake took 120 ms instead of 20 ms.', 'Nothing else changed.'])
  assert.deepEqual(phases.tlsMs, { typicalMs: 20, failedMs: 120 })
})

test('an old change is not named, and without a response nothing is said about the page', () => {
  const monitor = stable().checks(10, () => ({ ...shop, certificate: '11:22' }))
  monitor.now += 2 * HOUR_MS
  assert.deepEqual(monitor.fail().summary, ['Nothing changed in the hour before.'])
  assert.deepEqual(new Monitor().fail().summary, [])
  const { summary, lastGood } = stable(19).fail(failureOf({ ...shop, body: page('Error', '') }))
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
    error: 'not found',
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
    bodyFields(`<html>${body}`, 'text/html', body.length)
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 2_000_000, body.slice(0, 10))
  }
})
