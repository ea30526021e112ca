import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { quickTiming } from '../notifications/contacts/alerting.ts'
import { startService } from '../notifications/contacts/service.ts'
import { type DnsAnswer, type DnsQuestion, NXDOMAIN, startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { claim } from '../support/person.ts'
import { startTestServer } from '../support/server.ts'

const INTERNAL = '10.1.2.3'
/** No monitor of this test connects to it. */
const PUBLIC = '1.1.1.1'

const PRIVATE_IPV6 = ['fd00::5', '::1', '::ffff:10.1.2.3', 'fe80::1']

/** Anything of the internal network that an answer could show. */
const LEAK = /10\.1\.2\.3|10\.9\.9\.9|10\.0\.0\.7|169\.254|\bfd00:|\bfe80:|::1\b|ffff:/

async function startStage(privateTargets: string) {
  const zone = new Map<string, readonly string[]>([
    ['pharos.example A', ['10.0.0.7']],
    ['db.corp.example A', [INTERNAL]],
    ['many.corp.example A', [INTERNAL, '169.254.169.254', PUBLIC]],
    ['six.corp.example AAAA', PRIVATE_IPV6],
    ['public.example A', [PUBLIC]],
    ['changing.example A', [PUBLIC]],
    ['same.example A', ['10.0.0.7']],
    ['alias.example CNAME', ['pharos.example']],
    ['alias.example A', ['10.0.0.7']],
  ])
  const answer = ({ name, type }: DnsQuestion): DnsAnswer => {
    const records = zone.get(`${name} ${type}`)
    if (records !== undefined) return { records }
    return [...zone.keys()].some((key) => key.startsWith(`${name} `)) ? { records: [] } : NXDOMAIN
  }
  const dns = await startDnsServer(answer)
  const service = await startService(() => ({ status: 200 }))
  const server = await startTestServer('sqlite', {
    env: {
      PHAROS_PRIVATE_TARGETS: privateTargets,
      PHAROS_PRIVATE_WEBHOOKS: 'allow',
      PHAROS_DNS_SERVERS: dns.address,
      PHAROS_BASE_URL: 'https://pharos.example',
      PHAROS_ROLES: 'api,sender',
    },
    alertPace: quickTiming,
  })
  return {
    server,
    dns,
    zone,
    service,
    owner: await claim(server),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await dns[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

describe('private addresses in DNS answers, with private targets denied', () => {
  let stage: Awaited<ReturnType<typeof startStage>>
  before(async () => {
    stage = await startStage('deny')
  })
  after(() => stage[Symbol.asyncDispose]())

  const settingsOf = (url: string, more: object = {}) => ({ name: url, type: 'DNS', url, ...more })
  const tried = async (url: string, more: object = {}) => {
    const { status, body } = await stage.owner.post('/v1/monitors/try', settingsOf(url, more))
    assert.equal(status, 200, JSON.stringify(body))
    // The error and its code repeat what was expected.
    const { expected: _, ...values } = body.errorReason?.values ?? {}
    const seen = { ...body, error: body.error?.replace(/^Expected [^ ]+,/, ''), errorReason: values }
    assert.doesNotMatch(JSON.stringify(seen), LEAK)
    return body
  }

  test('are counted in the result of a test, not shown', async () => {
    assert.deepEqual((await tried('db.corp.example')).records, ['1 private address (withheld)'])
    assert.deepEqual((await tried('many.corp.example')).records, [PUBLIC, '2 private addresses (withheld)'])
    const { records } = await tried('six.corp.example', { dnsRecordType: 'AAAA' })
    assert.deepEqual(records, ['4 private addresses (withheld)'])
    assert.deepEqual((await tried('public.example')).records, [PUBLIC])
  })

  test('cannot be guessed with dnsExpected: the right guess fails like a wrong one', async () => {
    for (const [url, type, right, wrong] of [
      ['db.corp.example', 'A', INTERNAL, '10.9.9.9'],
      ['six.corp.example', 'AAAA', 'fd00::5', 'fd00::6'],
    ] as const) {
      const results = []
      for (const dnsExpected of [right, wrong]) {
        const { outcome, causeCode, error } = await tried(url, { dnsRecordType: type, dnsExpected })
        results.push({ outcome, causeCode, error: error.replace(dnsExpected, 'GUESS') })
      }
      assert.deepEqual(results[0], results[1])
      assert.partialDeepStrictEqual(results[0], { outcome: 'FAILURE', causeCode: 'DNS_MISMATCH' })
      assert.match(
        results[0]?.error ?? '',
        /^Expected GUESS, got \d private address(es)? \(withheld\)\. Private addresses are not compared on this installation: expect the public ones$/,
      )
    }
    assert.equal((await tried('many.corp.example', { dnsExpected: PUBLIC })).outcome, 'SUCCESS')
  })

  test('do not appear in incidents, monitors and checks', async () => {
    const client = stage.server.client()
    const { body: monitor } = await client.post('/monitors', settingsOf('db.corp.example', { dnsExpected: '10.9.9.9' }))
    assert.equal((await client.post(`/monitors/${monitor.id}/check`, {})).status, 200)
    const { body: incidents } = await client.get(`/incidents?monitorId=${monitor.id}`)
    assert.match(JSON.stringify(incidents), /private address \(withheld\)/)
    const checks = await stage.owner.get(`/v1/monitors/${monitor.id}/checks`)
    assert.equal(checks.status, 200)
    assert.match(checks.body.data[0].error, /private address \(withheld\)/)
    const seen = JSON.stringify([incidents, checks.body, (await client.get(`/monitors/${monitor.id}`)).body])
    assert.doesNotMatch(seen.replaceAll('10.9.9.9', ''), LEAK)
  })

  test('do not appear in the alert that records changed, and changes among them are not reported', async () => {
    const { owner, service, zone } = stage
    const client = stage.server.client()
    await owner.post('/v1/contacts', { name: 'Hook', channel: 'WEBHOOK', settings: { url: service.url } })
    const { body: monitor } = await client.post('/monitors', settingsOf('changing.example'))
    const check = () => client.post(`/monitors/${monitor.id}/check`, {})
    await check()
    zone.set('changing.example A', [PUBLIC, INTERNAL])
    for (let i = 0; i < 2; i += 1) await check()
    zone.set('changing.example A', [PUBLIC, '10.9.9.9'])
    for (let i = 0; i < 3; i += 1) await check()
    zone.set('changing.example A', ['8.8.8.8'])
    for (let i = 0; i < 2; i += 1) await check()
    const changes = (): { reason: string }[] =>
      service.received.flatMap(({ body }) => body.alerts.filter(({ kind }: { kind: string }) => kind === 'dns_changed'))
    await eventually(async () => assert.match(JSON.stringify(changes()), /8\.8\.8\.8/))
    const reasons = changes().map(({ reason }) => reason)
    assert.equal(reasons.length, 2, JSON.stringify(reasons))
    assert.match(reasons[0] as string, /1\.1\.1\.1, 1 private address \(withheld\)/)
    assert.doesNotMatch(JSON.stringify(service.received), LEAK)
  })

  test('do not appear in the check of a domain, and do not tell where the installation is', async () => {
    const checked = async (customDomain: string) => {
      const { body: page } = await stage.owner.post('/v1/status-pages', { name: 'Acme', customDomain })
      const { status, body } = await stage.owner.post(`/v1/status-pages/${page.id}/domain/check`, {})
      assert.equal(status, 200, JSON.stringify(body))
      assert.doesNotMatch(JSON.stringify(body), LEAK)
      return body.dns
    }
    const internal = await checked('db.corp.example')
    assert.deepEqual([internal.addresses, internal.pointsHere], [['1 private address (withheld)'], false])
    assert.match(internal.message, /points to 1 private address \(withheld\)/)
    // Its address is that of this installation: saying so would confirm a guess.
    const same = await checked('same.example')
    assert.deepEqual([same.addresses, same.pointsHere], [['1 private address (withheld)'], false])
    assert.equal((await checked('alias.example')).pointsHere, true)
  })
})

describe('private addresses in DNS answers, with some networks permitted', () => {
  test('are shown only if they are in these networks', async () => {
    await using stage = await startStage('10.1.0.0/16')
    const { body } = await stage.owner.post('/v1/monitors/try', {
      name: 'm',
      type: 'DNS',
      url: 'many.corp.example',
      dnsExpected: INTERNAL,
    })
    assert.deepEqual([body.outcome, body.records], ['SUCCESS', [PUBLIC, INTERNAL, '1 private address (withheld)']])
  })
})
