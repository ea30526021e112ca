import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import type { Page } from 'playwright-core'
import { storeChecks } from '../monitoring/check-results/store-checks.ts'
import { numOf } from '../monitoring/checks/stored-history.ts'
import { DAY_MS, makeAuthority } from '../support/certificates.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { listen } from '../support/listener.ts'
import { createMonitor, current, type MonitorBody } from '../support/monitors.ts'
import { domain, startRdap } from '../support/rdap-server.ts'
import { words } from '../support/reasons.ts'
import { type HttpTarget, startHttpTarget } from '../support/targets.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { HOUR_MS, pastIncident } from './past-results.ts'

const stack = new AsyncDisposableStack()
const env: Record<string, string> = {}
let records = ['192.0.2.1', '192.0.2.2']
let target: HttpTarget
let tlsPort: number

async function startTls(): Promise<number> {
  const middle = makeAuthority('Example Root').intermediate('Example Intermediate')
  const hosts = ['127.0.0.1', ...Array.from({ length: 12 }, (_, i) => `shop-${i}.example`)]
  const validFrom = new Date(Date.now() - 60 * DAY_MS)
  const leaf = middle.issue({ hosts, validFrom, validTo: new Date(Date.now() + 30.5 * DAY_MS) })
  const server = tls.createServer({ ...leaf, cert: leaf.cert + middle.cert }, (socket) =>
    socket.on('error', () => socket.destroy()).end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  return stack.use(await listen(server)).port
}

function useTargets(): Dashboard {
  before(async () => {
    target = stack.use(await startHttpTarget())
    tlsPort = await startTls()
    const dns = stack.use(await startDnsServer(({ type }) => ({ records: type === 'A' ? records : [] })))
    const rdap = stack.use(await startRdap())
    const entities = [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Good Names Ltd']]] }]
    const nameservers = [{ ldhName: 'NS1.SHOP.TEST' }, { ldhName: 'NS2.SHOP.TEST' }]
    const expires = new Date(Date.now() + 200.5 * DAY_MS).toISOString()
    rdap.domains.set('shop.test', domain('shop.test', expires, { entities, nameservers }))
    env.PHAROS_DNS_SERVERS = dns.address
    env.PHAROS_RDAP_BOOTSTRAP = rdap.bootstrap
  })
  return useDashboard({ env })
}

describe('The page of a monitor', { skip: withoutBrowser }, () => {
  const dashboard = useTargets()
  after(() => stack.disposeAsync())

  test('of a DNS name has the records and how they changed', async () => {
    const { id } = await checked(dashboard, { name: 'Shop DNS', type: 'DNS', url: 'shop.test' })
    records = ['192.0.2.2', '192.0.2.3']
    const client = dashboard.server.client()
    for (let i = 0; i < 2; i += 1) await client.post(`/monitors/${id}/check`, {})
    const page = await opened(dashboard, id, 'Shop DNS')
    await page.getByRole('heading', { name: 'A records' }).waitFor()
    await page.getByText('1 record added, 1 removed').waitFor()
    assert.equal(await page.getByRole('list', { name: 'Record changes' }).getByText('192.0.2.1').count(), 1)
    assert.deepEqual(
      await headings(page),
      ['A records', 'Record changes', 'Lookup times', 'Check log', ...sidebar].sort(),
    )
    await expectAccessible(page, 'monitor-dns')
  })

  test('of a certificate has its issuer, names and chain, and no response times', async () => {
    const body = { name: 'Shop certificate', type: 'SSL', url: `127.0.0.1:${tlsPort}`, verifySsl: false }
    const { id } = await checked(dashboard, body)
    const page = await opened(dashboard, id, 'Shop certificate')
    await page.getByText('Expires in 30 days').waitFor()
    await page.getByText('issued by Example Root').waitFor()
    await page.getByText('5 more').click()
    await page.getByText('shop-11.example').waitFor()
    assert.deepEqual(await headings(page), ['Certificate', 'Check log', ...sidebar, 'Timing breakdown'].sort())
    await expectAccessible(page, 'monitor-ssl')
  })

  test('of a website over https has a small panel with its certificate', async () => {
    const body = { name: 'Secure shop', type: 'HTTP', url: `https://127.0.0.1:${tlsPort}/`, verifySsl: false }
    const { id } = await checked(dashboard, body)
    const page = await opened(dashboard, id, 'Secure shop')
    await page.getByText('Issued by Example Intermediate').waitFor()
    await page.getByText('All details').click()
    await page.getByText('TLS 1.3').waitFor()
    await expectAccessible(page, 'monitor-https')
  })

  test('of a domain has its registration, and no response times', async () => {
    const { id } = await checked(dashboard, { name: 'shop.test', type: 'DOMAIN', url: 'shop.test' })
    const page = await opened(dashboard, id, 'shop.test')
    await page.getByText('Good Names Ltd').waitFor()
    await page.getByText('Expires in 200 days').waitFor()
    await page.getByText('ns1.shop.test').waitFor()
    assert.deepEqual(await headings(page), ['Registration', 'Check log', ...sidebar].sort())
    await expectAccessible(page, 'monitor-domain')
  })

  test('of a job has a timeline with what is expected and what was missed', () => expectTimeline(dashboard))

  test('of a failing website leads with the response', () => expectResponse(dashboard))

  test('never has a check in the future when the clock of the browser is behind', async () => {
    const { id } = await checked(dashboard, { name: 'Clock', type: 'HTTP', url: target.url })
    const page = await dashboard.open({ isNew: true })
    await page.clock.install({ time: Date.now() - 60_000 })
    await page.goto(dashboard.at(`/monitors/${id}`))
    await page.getByText('Last checked just now').waitFor()
  })

  test('lists stored checks with their reasons, by result, and loads older ones', async () => {
    const { server } = dashboard
    const client = server.client()
    const { id } = await createMonitor(client, { name: 'Shop', type: 'HTTP', url: target.url, intervalSeconds: 3600 })
    for (const status of [200, 503, 200]) {
      target.status = status
      await client.post(`/monitors/${id}/check`, {})
    }
    const at = Date.now() + 1_000
    const reason = 'No connection to the network: none of the test addresses can be reached'
    await storeChecks(server.running.database, await numOf(server, id), [
      ...Array.from({ length: 60 }, (_, i) => ({
        at: at - 3_600_000 - (59 - i) * 60_000,
        state: 'DOWN' as const,
        responseMs: 84,
        causeCode: 'STATUS',
        error: words(`HTTP 500 Internal Server Error (expected 200), try ${59 - i}`),
      })),
      { at, state: 'INCONCLUSIVE', responseMs: null, causeCode: null, error: words(reason) },
    ])
    const page = await opened(dashboard, id, 'Shop')
    const log = page.getByRole('list', { name: 'Checks' })
    await log.getByText(reason).waitFor()
    await page.getByRole('region', { name: 'Status' }).getByText(reason).waitFor()
    await log.getByText('HTTP 503 Service Unavailable').waitFor()
    await expectAccessible(page, 'monitor-checks')
    await page.getByLabel('Result').selectOption('Down')
    await page.waitForURL(/checks=DOWN/)
    await log.getByText(reason).waitFor({ state: 'detached' })
    await log.getByText('try 0').waitFor()
    await page.getByRole('button', { name: 'Show older' }).click()
    await log.getByText('try 59').waitFor()
    await expectAccessible(page, 'monitor-checks-down')
  })
})

const sidebar = ['Uptime', 'Incidents', 'Labels', 'Alerts']

async function checked(dashboard: Dashboard, body: object): Promise<MonitorBody> {
  const client = dashboard.server.client()
  const monitor = await createMonitor(client, body)
  await client.post(`/monitors/${monitor.id}/check`, {})
  return monitor
}

async function opened(dashboard: Dashboard, id: string, name: string): Promise<Page> {
  const page = await dashboard.open()
  await page.goto(dashboard.at(`/monitors/${id}`))
  await page.getByRole('heading', { level: 1, name }).waitFor()
  return page
}

async function headings(page: Page): Promise<string[]> {
  await page.getByRole('heading', { name: 'Alerts' }).waitFor()
  return (await page.getByRole('heading', { level: 2 }).allInnerTexts()).sort()
}

async function expectTimeline(dashboard: Dashboard): Promise<void> {
  const client = dashboard.server.client()
  const body = { name: 'Backup', type: 'CRON', expectedPeriodSec: 3600, graceSeconds: 300 }
  const { id, heartbeatUrl } = await createMonitor(client, body)
  await fetch(`${heartbeatUrl}/start`)
  await fetch(heartbeatUrl as string, { method: 'POST', body: '12,480 files' })
  await fetch(`${heartbeatUrl}/log`, { method: 'POST', body: 'disk 91% full' })
  await fetch(`${heartbeatUrl}/3`, { method: 'POST', body: 'No space left on device' })
  await fetch(heartbeatUrl as string)
  await pastIncident(dashboard.server, id, Date.now() - 5 * HOUR_MS, HOUR_MS, 'No heartbeat since yesterday')
  const page = await opened(dashboard, id, 'Backup')
  const timeline = page.getByRole('list', { name: 'Heartbeats' })
  await timeline.getByText('Next heartbeat expected').waitFor()
  const firsts = await timeline.locator('li').allInnerTexts()
  assert.match(
    firsts.join('\n'),
    /Next heartbeat[\s\S]+Success[\s\S]+exit code 3[\s\S]+Log[\s\S]+Success[\s\S]+took[\s\S]+Started/,
  )
  assert.match(firsts.at(-1) ?? '', /Missed heartbeat[\s\S]+missing for 1 h/)
  assert.equal(await page.getByRole('button', { name: 'Check now' }).count(), 0)
  await page.getByText('Last heartbeat just now').waitFor()
  await timeline.getByText('Output').first().click()
  await page.getByText('No space left on device').waitFor()
  await expectAccessible(page, 'monitor-cron')
  await page.getByRole('button', { name: 'Replace URL' }).click()
  await page.getByRole('dialog').getByText('The current URL stops working immediately').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await page.getByText('Heartbeat URL replaced').waitFor()
  const replaced = await current(client, id)
  assert.notEqual(replaced.heartbeatUrl, heartbeatUrl)
  await page.getByText(replaced.heartbeatUrl as string, { exact: true }).waitFor()
}

async function expectResponse(dashboard: Dashboard): Promise<void> {
  target.status = 503
  target.body = '<h1>upstream connect error</h1>'
  const { id } = await checked(dashboard, { name: 'Broken shop', type: 'HTTP', url: target.url })
  const page = await opened(dashboard, id, 'Broken shop')
  const status = page.getByRole('region', { name: 'Status' })
  await status.getByText('HTTP 503 Service Unavailable', { exact: true }).waitFor()
  await status.getByText('2xx or 3xx', { exact: true }).waitFor()
  await status.getByText(`${target.url} (127.0.0.1)`).waitFor()
  await status.getByText('Response body').click()
  await status.getByText('upstream connect error').waitFor()
  await expectAccessible(page, 'monitor-failing')
  target.status = 200
}
