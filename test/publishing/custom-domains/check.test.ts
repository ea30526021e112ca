import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DnsAnswer, type DnsQuestion, type DnsServer, NXDOMAIN, startDnsServer } from '../../support/dns-server.ts'
import { forEachEngine } from '../../support/engines.ts'
import { claim, joinByInvitation, type Person, type TestInstallation } from '../../support/person.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

/** The records of the DNS server, by name and type; it does not answer for other names. */
const zone: Readonly<Record<string, DnsAnswer>> = {
  'pharos.example A': { records: ['192.0.2.1'] },
  'aliased.example CNAME': { records: ['pharos.example'] },
  'aliased.example A': { alias: 'pharos.example', records: ['192.0.2.1'] },
  'elsewhere.example A': { records: ['203.0.113.9'] },
}
const silent = 'silent.example'

function answer({ name, type }: DnsQuestion): DnsAnswer {
  if (name === silent) return null
  const found = zone[`${name} ${type}`]
  if (found !== undefined) return found
  return Object.keys(zone).some((key) => key.startsWith(`${name} `)) ? { records: [] } : NXDOMAIN
}

forEachEngine('checking the domain of a status page', (engine) => {
  let dns: DnsServer | undefined
  let server: TestServer | undefined
  let owner: Person
  before(async () => {
    dns = await startDnsServer(answer)
    const env = { PHAROS_ROLES: 'api', PHAROS_DNS_SERVERS: dns.address, PHAROS_BASE_URL: 'https://pharos.example' }
    server = await startTestServer(engine, { env })
    owner = await claim(server)
  })
  after(async () => {
    await server?.stop()
    await dns?.[Symbol.asyncDispose]()
  })

  const pageAt = async (customDomain: string | null): Promise<string> => {
    const { status, body } = await owner.post('/v1/status-pages', { name: 'Acme', customDomain })
    assert.equal(status, 201, JSON.stringify(body))
    return body.id
  }
  const checkPage = (id: string) => owner.post(`/v1/status-pages/${id}/domain/check`)
  const check = async (domain: string) => (await checkPage(await pageAt(domain))).body

  test('reports a domain that points here', async () => {
    const message = 'aliased.example points to this server.'
    const { domain, dns } = await check('aliased.example')
    assert.equal(domain, 'aliased.example')
    assert.deepEqual(dns, { cname: 'pharos.example', addresses: ['192.0.2.1'], pointsHere: true, message })
  })

  test('reports a domain that points elsewhere, with the record to create', async () => {
    const found = (await check('elsewhere.example')).dns
    assert.deepEqual([found.cname, found.addresses, found.pointsHere], [null, ['203.0.113.9'], false])
    assert.match(found.message, /points to 203\.0\.113\.9, .* CNAME pharos\.example\. .* A 192\.0\.2\.1 instead\.$/)
  })

  test('reports a name that does not exist', async () => {
    const found = (await check('unknown.example')).dns
    assert.deepEqual([found.addresses, found.pointsHere], [[], false])
    assert.match(found.message, /^unknown\.example has no DNS record yet\./)
  })

  test('reports that no DNS server answered', async () => {
    const found = (await check(silent)).dns
    assert.match(found.message, /could not be looked up: no DNS server answered/)
    assert.equal(found.pointsHere, false)
  })

  test('is 409 for a page without a domain', async () => {
    const none = await checkPage(await pageAt(null))
    assert.deepEqual([none.status, none.body.error.code], [409, 'conflict'])
  })

  test('is rate limited', async () => {
    const id = await pageAt('often.example')
    const answers = []
    for (let i = 0; i < 21; i += 1) answers.push((await checkPage(id)).status)
    assert.equal(answers.at(-1), 429)
  })
})

forEachEngine('checking a domain that needs a proof', (engine) => {
  test('offers one record for both purposes if names below our host lead here', async () => {
    let isWildcard = false
    await using dns = await startDnsServer(({ name, type }) => {
      const isOurs = name === 'pharos.example' || (isWildcard && name.endsWith('.pharos.example'))
      return isOurs && type === 'A' ? { records: ['192.0.2.1'] } : NXDOMAIN
    })
    const env = { PHAROS_DNS_SERVERS: dns.address, PHAROS_BASE_URL: 'https://pharos.example' }
    const required = { PHAROS_ROLES: 'api', PHAROS_DOMAIN_PROOF: 'required' }
    await using server = await startTestServer(engine, { env: { ...env, ...required } })
    const owner = await claim(server)
    const { body: page } = await owner.post('/v1/status-pages', { name: 'Acme', customDomain: 'status.acme.example' })
    const check = async () => (await owner.post(`/v1/status-pages/${page.id}/domain/check`)).body.records
    const [address, proof, ...more] = await check()
    assert.deepEqual(address, {
      purpose: 'ADDRESS',
      type: 'CNAME',
      name: 'status.acme.example',
      value: 'pharos.example',
    })
    assert.deepEqual([proof.purpose, proof.type, more], ['PROOF', 'TXT', []])
    isWildcard = true
    const [, , combined] = await check()
    const token = proof.value.replace('pharos-page=', '')
    assert.deepEqual(combined, {
      purpose: 'ADDRESS_AND_PROOF',
      type: 'CNAME',
      name: 'status.acme.example',
      value: `${token}.pharos.example`,
    })
  })

  test('a viewer sees the state and cannot check', async () => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    const owner = await claim(server)
    const { body: page } = await owner.post('/v1/status-pages', { name: 'Acme', customDomain: 'status.acme.example' })
    const viewer = await joinByInvitation({ server, owner } as TestInstallation, 'viewer@example.com', 'VIEWER')
    assert.equal((await viewer.get(`/v1/status-pages/${page.id}/domain`)).body.state, 'NOT_REQUIRED')
    assert.equal((await viewer.post(`/v1/status-pages/${page.id}/domain/check`)).status, 403)
  })
})
