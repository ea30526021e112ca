import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, test } from 'node:test'
import tls from 'node:tls'
import { execute, q } from '../../../src/storage/query.ts'
import { type Listener, listen } from '../../outbound/fixtures.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { domain, type RdapServer, startRdap } from '../../support/rdap-server.ts'
import { bodyOf } from '../../support/server.ts'

const middle = makeAuthority('Root').intermediate('Intermediate')
const issue = () => {
  const leaf = middle.issue({ hosts: ['shop.test', '127.0.0.1'] })
  return { ...leaf, cert: leaf.cert + middle.cert }
}

/** Ports for the environment of the servers: they start before the suites, whose servers need them. */
let records: readonly string[] = ['192.0.2.1', '192.0.2.2']
const dns: DnsServer = await startDnsServer(({ type }) => (type === 'A' ? { records } : {}))
const rdap: RdapServer = await startRdap()
after(async () => {
  await dns[Symbol.asyncDispose]()
  await rdap[Symbol.asyncDispose]()
})

function useDetails(engine: Engine) {
  const env = {
    PHAROS_DNS_SERVERS: dns.address,
    PHAROS_RDAP_BOOTSTRAP: rdap.bootstrap,
    PHAROS_PRIVATE_TARGETS: 'allow',
  }
  const installation = useInstallation(engine, { env })
  const created = async (settings: object): Promise<string> => {
    return bodyOf(await installation.owner.post('/v1/monitors', { name: 'x', ...settings }), 201).id
  }
  const check = async (id: string) => (await installation.owner.post(`/v1/monitors/${id}/check`, {})).body
  const detailsOf = async (id: string) => (await installation.owner.get(`/v1/monitors/${id}/details`)).body
  const rows = () => installation.server.running.database.read(execute(q.selectFrom('monitor_details').selectAll()))
  return { installation, created, check, detailsOf, rows }
}

forEachEngine('what checks found at a TLS server', (engine) => {
  const { installation, created, check, detailsOf, rows } = useDetails(engine)
  let credentials = issue()
  let server: tls.Server
  let listener: Listener
  before(async () => {
    server = tls.createServer(credentials)
    server.on('tlsClientError', () => {}).on('secureConnection', (socket) => socket.on('error', () => {}))
    listener = await listen(server)
  })
  after(() => listener[Symbol.asyncDispose]())

  test('is the certificate of an SSL monitor with its chain, also if it is not trusted', async () => {
    const id = await created({ type: 'SSL', url: `127.0.0.1:${listener.port}` })
    assert.deepEqual(await detailsOf(id), {
      seenAt: null,
      certificate: null,
      domain: null,
      dns: null,
      schedule: null,
    })
    assert.equal((await check(id)).state, 'DOWN')
    const { certificate } = await detailsOf(id)
    const leaf = new X509Certificate(credentials.cert)
    const { subject, issuer, names, nameCount, fingerprint, serial, protocol, chain, validTo } = certificate
    assert.deepEqual([subject, issuer, names, nameCount], ['shop.test', 'Intermediate', ['shop.test', '127.0.0.1'], 2])
    assert.deepEqual([fingerprint, serial, protocol], [leaf.fingerprint256, leaf.serialNumber, 'TLSv1.3'])
    assert.equal(validTo, leaf.validToDate.toISOString())
    assert.deepEqual(
      chain.map((one: { subject: string; issuer: string }) => [one.subject, one.issuer]),
      [['Intermediate', 'Root']],
    )
  })

  test('is written again only when it changes', async () => {
    const id = await created({ type: 'SSL', url: `127.0.0.1:${listener.port}`, verifySsl: false })
    assert.equal((await check(id)).state, 'UP')
    const before = (await detailsOf(id)).seenAt
    await check(id)
    assert.equal((await detailsOf(id)).seenAt, before)
    credentials = issue()
    server.setSecureContext(credentials)
    await check(id)
    const { seenAt, certificate } = await detailsOf(id)
    assert.notEqual(seenAt, before)
    assert.equal(certificate.fingerprint, new X509Certificate(credentials.cert).fingerprint256)
  })

  test('is forgotten with the target and with the monitor', async () => {
    const id = await created({ type: 'SSL', url: `127.0.0.1:${listener.port}`, verifySsl: false })
    await check(id)
    assert.ok((await detailsOf(id)).certificate)
    await installation.owner.patch(`/v1/monitors/${id}`, { name: 'renamed' })
    assert.ok((await detailsOf(id)).certificate, 'a new name keeps it')
    await installation.owner.patch(`/v1/monitors/${id}`, { url: 'other.test' })
    assert.equal((await detailsOf(id)).certificate, null)
    await installation.owner.patch(`/v1/monitors/${id}`, { url: `127.0.0.1:${listener.port}` })
    await check(id)
    const count = (await rows()).length
    await installation.owner.delete(`/v1/monitors/${id}`)
    assert.equal((await rows()).length, count - 1)
  })
})

forEachEngine('what checks found elsewhere', (engine) => {
  const { installation, created, check, detailsOf } = useDetails(engine)

  test('is the records of a DNS monitor and the history of their changes', async () => {
    records = ['192.0.2.1', '192.0.2.2']
    const id = await created({ type: 'DNS', url: 'shop.test', dnsRecordType: 'A' })
    await check(id)
    assert.deepEqual((await detailsOf(id)).dns, { records, changes: [] })
    records = ['192.0.2.2', '192.0.2.3']
    await check(id)
    await check(id)
    const { dns: found } = await detailsOf(id)
    assert.deepEqual(found.records, records)
    assert.deepEqual(
      found.changes.map(({ added, removed }: { added: string[]; removed: string[] }) => [added, removed]),
      [[['192.0.2.3'], ['192.0.2.1']]],
    )
    await installation.owner.post(`/v1/monitors/${id}/pause`, {})
    await installation.owner.post(`/v1/monitors/${id}/resume`, {})
    await check(id)
    assert.equal((await detailsOf(id)).dns.changes.length, 1, 'a pause keeps the history')
  })

  test('includes the records that a DNS monitor did not expect', async () => {
    records = ['192.0.2.7']
    const id = await created({ type: 'DNS', url: 'shop.test', dnsRecordType: 'A', dnsExpected: '192.0.2.1' })
    assert.equal((await check(id)).state, 'DOWN')
    assert.deepEqual((await detailsOf(id)).dns.records, records)
  })

  test('is the registration of a DOMAIN monitor', async () => {
    const entities = [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Good Names Ltd']]] }]
    const nameservers = [{ ldhName: 'NS1.SHOP.TEST.' }, { ldhName: 'ns2.shop.test' }]
    rdap.domains.set('shop.test', domain('shop.test', '2099-01-02T03:04:05Z', { entities, nameservers }))
    const id = await created({ type: 'DOMAIN', url: 'www.shop.test' })
    assert.equal((await check(id)).state, 'UP')
    const { lookedUpAt, ...found } = (await detailsOf(id)).domain
    assert.deepEqual(found, {
      name: 'shop.test',
      registrar: 'Good Names Ltd',
      registeredAt: '2001-02-03T04:05:06.000Z',
      expiresAt: '2099-01-02T03:04:05.000Z',
      nameServers: ['ns1.shop.test', 'ns2.shop.test'],
      source: 'RDAP',
    })
    assert.ok(Date.parse(lookedUpAt) <= Date.now())
    const before = (await detailsOf(id)).seenAt
    await check(id)
    assert.equal((await detailsOf(id)).seenAt, before, 'a cached registration is not written again')
  })

  test('is the schedule of a CRON monitor, whose last heartbeat is not the last check', async () => {
    const { body } = await installation.owner.post('/v1/monitors', {
      name: 'job',
      type: 'CRON',
      expectedPeriodSec: 3600,
      graceSeconds: 60,
    })
    assert.deepEqual((await detailsOf(body.id)).schedule, {
      lastHeartbeatAt: null,
      expectedAt: null,
      overdueAt: null,
      cron: null,
      timezone: null,
    })
    await fetch(body.heartbeatUrl.replace(/^https?:\/\/[^/]+/, installation.server.url), { method: 'POST' })
    const { schedule } = await detailsOf(body.id)
    const at = Date.parse(schedule.lastHeartbeatAt)
    assert.deepEqual(
      [schedule.expectedAt, schedule.overdueAt].map((time) => Date.parse(time) - at),
      [3_600_000, 3_660_000],
    )
    await check(body.id)
    assert.equal((await detailsOf(body.id)).schedule.lastHeartbeatAt, schedule.lastHeartbeatAt)
    await installation.owner.post(`/v1/monitors/${body.id}/pause`, {})
    assert.equal((await detailsOf(body.id)).schedule.expectedAt, null)
  })
})
