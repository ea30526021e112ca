import tls from 'node:tls'
import { listen } from '../outbound/fixtures.ts'
import { DAY_MS, makeSelfSigned } from '../support/certificates.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { createMonitor, current, type MonitorBody, smallest } from '../support/monitors.ts'
import { domain, type RdapServer, startRdap } from '../support/rdap-server.ts'
import { bodyOf, type Client } from '../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../support/targets.ts'

/** Servers that the checks of these tests use besides their own targets. */
export interface TestEnvironment extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
  readonly rdap: RdapServer
  /** The address that the DNS server returns for every name. */
  address: string
}

export async function startTestEnvironment(): Promise<TestEnvironment> {
  const stack = new AsyncDisposableStack()
  const rdap = stack.use(await startRdap())
  const dns: DnsServer = stack.use(await startDnsServer(() => ({ records: [environment.address] })))
  const environment: TestEnvironment = {
    rdap,
    address: '192.0.2.1',
    env: {
      PHAROS_RDAP_BOOTSTRAP: rdap.bootstrap,
      PHAROS_DNS_SERVERS: dns.address,
      PHAROS_CONFIRM_DELAYS: '',
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return environment
}

type Trigger = (client: Client, environment: TestEnvironment) => Promise<MonitorBody>

/** Triggers each event by immediate checks and returns the resource, which the event's `data` must equal. */
export const checkTriggers: Readonly<Record<string, Trigger>> = {
  async 'incident.opened'(client) {
    await using target = await startHttpTarget()
    await checked(client, target, [503])
    return latestIncident(client)
  },
  async 'incident.resolved'(client) {
    await using target = await startHttpTarget()
    await checked(client, target, [503, 200])
    return latestIncident(client)
  },
  async 'monitor.degraded'(client) {
    await using target = await startHttpTarget()
    return await slow(client, target)
  },
  async 'monitor.recovered'(client) {
    await using target = await startHttpTarget()
    const { id } = await slow(client, target)
    await client.patch(`/monitors/${id}`, { degradedThresholdMs: 60_000 })
    return await check(client, id)
  },
  async 'monitor.certificate_expiring'(client) {
    const validTo = new Date(Date.now() + DAY_MS)
    await using server = await listen(tls.createServer(makeSelfSigned({ hosts: ['127.0.0.1'], validTo })))
    const url = `127.0.0.1:${server.port}`
    const { id } = await createMonitor(client, smallest('SSL', { url, verifySsl: false, sslExpiryThresholdDays: 14 }))
    return await check(client, id)
  },
  async 'monitor.domain_expiring'(client, { rdap }) {
    rdap.domains.set('shop.test', domain('shop.test', new Date(Date.now() + 3 * DAY_MS).toISOString()))
    const { id } = await createMonitor(client, smallest('DOMAIN', { url: 'shop.test', sslExpiryThresholdDays: 14 }))
    return await check(client, id)
  },
  async 'monitor.dns_changed'(client, environment) {
    const { id } = await createMonitor(client, smallest('DNS', { url: 'shop.test', dnsAlertOnChange: true }))
    await check(client, id)
    environment.address = '192.0.2.2'
    await check(client, id)
    const changed = await check(client, id)
    environment.address = '192.0.2.1'
    return changed
  },
}

async function check(client: Client, id: string): Promise<MonitorBody> {
  return bodyOf(await client.post(`/monitors/${id}/check`, {}))
}

/** A monitor, checked once for each status of the target. */
async function checked(client: Client, target: HttpTarget, statuses: readonly number[]): Promise<MonitorBody> {
  const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, expectedStatus: [200] }))
  for (const status of statuses) {
    target.status = status
    await check(client, id)
  }
  return current(client, id)
}

/** A monitor whose latest check exceeded its threshold. */
async function slow(client: Client, target: HttpTarget): Promise<MonitorBody> {
  const settings = { url: target.url, degradedThresholdMs: 100, degradedSamples: 1 }
  const { id } = await createMonitor(client, smallest('HTTP', settings))
  const release = target.hold()
  // From the visit on: on a busy machine the check begins late.
  void target.visited().then(() => setTimeout(release, 300))
  return check(client, id)
}

async function latestIncident(client: Client): Promise<MonitorBody> {
  const [{ id }] = (await client.get('/incidents')).body.data
  return (await client.get(`/incidents/${id}`)).body
}
