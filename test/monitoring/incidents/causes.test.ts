import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import tls from 'node:tls'
import { listen } from '../../outbound/fixtures.ts'
import { type Api, startApi } from '../../support/api.ts'
import { DAY_MS, makeSelfSigned } from '../../support/certificates.ts'
import { HandClock } from '../../support/clock.ts'
import { NXDOMAIN, startDnsServer } from '../../support/dns-server.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, type MonitorBody, type MonitorType, smallest } from '../../support/monitors.ts'
import { closedPort } from '../../support/ports.ts'
import { domain, type RdapServer, startRdap } from '../../support/rdap-server.ts'
import { startHttpTarget, startTcpTarget } from '../../support/targets.ts'
import { type Body, causeCodes, currentIncident, outage, pageOf } from './incidents.ts'

interface Trouble {
  readonly type: MonitorType
  /** What the monitor is to watch; it may use what is disposed of with the stack. */
  readonly watch: (stack: AsyncDisposableStack, rdap: RdapServer) => Promise<MonitorBody>
  readonly cause: RegExp
}

/** A real target for each cause that a check can find. */
const troubles: Readonly<Record<string, Trouble>> = {
  TIMEOUT: {
    type: 'HTTP',
    async watch(stack) {
      const target = stack.use(await startHttpTarget())
      stack.defer(target.hold())
      return { url: target.url, timeoutSeconds: 1 }
    },
    cause: /No response within 1 s/,
  },
  DNS: { type: 'DNS', watch: async () => ({ url: 'gone.test' }), cause: /gone\.test does not exist/ },
  CONNECT: {
    type: 'PORT',
    watch: async () => ({ host: '127.0.0.1', port: await closedPort() }),
    cause: /refused/i,
  },
  TLS: {
    type: 'HTTP',
    async watch(stack) {
      const server = createServer((socket) => socket.on('error', () => {}).end('this is not TLS')).listen(
        0,
        '127.0.0.1',
      )
      await once(server, 'listening')
      stack.defer(() => void server.close())
      return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/` }
    },
    cause: /TLS/,
  },
  STATUS: {
    type: 'HTTP',
    async watch(stack) {
      return { url: stack.use(await startHttpTarget()).url, expectedStatus: [418] }
    },
    cause: /HTTP 200 OK \(expected 418\)/,
  },
  KEYWORD: {
    type: 'KEYWORD',
    async watch(stack) {
      return { url: stack.use(await startHttpTarget()).url, keyword: 'Goodbye' }
    },
    cause: /Goodbye/,
  },
  DNS_MISMATCH: {
    type: 'DNS',
    watch: async () => ({ url: 'shop.test', dnsExpected: '192.0.2.9' }),
    cause: /Expected 192\.0\.2\.9, got 192\.0\.2\.1/,
  },
  CERTIFICATE: {
    type: 'SSL',
    async watch(stack) {
      const validTo = new Date(Date.now() - DAY_MS)
      const credentials = makeSelfSigned({ hosts: ['127.0.0.1'], validFrom: new Date(+validTo - DAY_MS), validTo })
      const server = stack.use(await listen(tls.createServer(credentials)))
      return { url: `127.0.0.1:${server.port}`, verifySsl: false }
    },
    cause: /expired/,
  },
  DOMAIN: {
    type: 'DOMAIN',
    async watch(_, rdap) {
      rdap.domains.set('lapsed.test', domain('lapsed.test', new Date(Date.now() - 30 * DAY_MS).toISOString()))
      return { url: 'lapsed.test' }
    },
    cause: /lapsed\.test expired/,
  },
}

forEachEngine('the cause of an incident', (engine) => {
  const clock = new HandClock()
  const around = new AsyncDisposableStack()
  let api: Api
  let rdap: RdapServer

  before(async () => {
    rdap = around.use(await startRdap())
    const answer = ({ name }: { name: string }) => (name === 'gone.test' ? NXDOMAIN : { records: ['192.0.2.1'] })
    const dns = around.use(await startDnsServer(answer))
    const env = { PHAROS_RDAP_BOOTSTRAP: rdap.bootstrap, PHAROS_DNS_SERVERS: dns.address }
    api = await startApi(engine, { clock, env })
    around.defer(() => api.server.stop())
  })
  after(() => around.disposeAsync())

  const expectCause = (incident: Body, code: string, cause: RegExp): void => {
    assert.equal(incident.causeCode, code)
    assert.match(incident.cause, cause)
    assert.equal(incident.firstFailure.error, incident.cause)
    assert.equal(incident.timeline[0].message, incident.cause)
  }

  for (const [code, { type, watch, cause }] of Object.entries(troubles)) {
    test(`${code}, as a ${type} monitor meets it`, async () => {
      await using stack = new AsyncDisposableStack()
      const { client } = await api.tenant()
      const { id } = await createMonitor(client, smallest(type, await watch(stack, rdap)))
      const incident = await outage(client, id)
      expectCause(incident, code, cause)
      assert.equal(incident.monitor.type, type)
    })
  }

  test('a failed run of a CRON monitor is HEARTBEAT_FAILED, and an overdue one is HEARTBEAT_MISSED', async () => {
    const { client } = await api.tenant()
    const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 60, graceSeconds: 30 }))
    assert.equal((await fetch(`${job.heartbeatUrl}/fail`)).status, 200)
    const [reported] = (await pageOf(client)).data as [Body]
    expectCause(await currentIncident(client, reported.id), 'HEARTBEAT_FAILED', /reported a failure/)
    assert.equal((await fetch(job.heartbeatUrl)).status, 200)
    clock.advance(90_000)
    expectCause(await outage(client, job.id), 'HEARTBEAT_MISSED', /No heartbeat since/)
  })

  test('the first cause stays the cause: what fails later, and differently, is in the last failure', async () => {
    await using stack = new AsyncDisposableStack()
    const target = stack.use(await startTcpTarget())
    const { client } = await api.tenant()
    const settings = { url: `http://127.0.0.1:${await closedPort()}/`, timeoutSeconds: 1 }
    const { id } = await createMonitor(client, smallest('HTTP', settings))
    const refused = await outage(client, id)
    expectCause(refused, 'CONNECT', /refused/i)
    await client.patch(`/monitors/${id}`, { url: `http://127.0.0.1:${target.port}/` })
    const silent = await eventually(async () => {
      const incident = await outage(client, id)
      assert.equal(incident.failedChecks, 2)
      return incident
    })
    expectCause(silent, 'CONNECT', /refused/i)
    assert.equal(silent.id, refused.id)
    assert.match(silent.lastFailure.error, /No response within 1 s/)
  })

  test('no cause is left out here', () => {
    const met = [...Object.keys(troubles), 'HEARTBEAT_FAILED', 'HEARTBEAT_MISSED']
    assert.deepEqual(met.sort(), [...causeCodes].sort())
  })
})
