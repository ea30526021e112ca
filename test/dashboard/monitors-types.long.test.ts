import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import type { Page } from 'playwright-core'
import { DAY_MS, makeSelfSigned } from '../support/certificates.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { listen } from '../support/listener.ts'
import { current, type MonitorBody } from '../support/monitors.ts'
import { domain, startRdap } from '../support/rdap-server.ts'
import { type HttpTarget, startHttpTarget, startTcpTarget } from '../support/targets.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const stack = new AsyncDisposableStack()
const env: Record<string, string> = {}
let target: HttpTarget
let tcpPort: number
let tlsPort: number

/** What is filled in for each type, and what must come of it. */
interface Case {
  readonly type: string
  readonly label: string
  readonly fill: (page: Page) => Promise<void>
  readonly expected: () => MonitorBody
  /** What a check finds; undefined where that depends on the machine. */
  readonly state?: string
}

const cases: readonly Case[] = [
  {
    type: 'HTTP',
    label: 'HTTP',
    fill: async (page) => {
      await page.getByLabel('URL or host').fill(target.url)
      await page.getByText('Advanced').click()
      await page.getByLabel('Method').selectOption('POST')
      await page.getByLabel('Expected status codes').fill('200-202, 418')
      await page.getByLabel('Request headers').fill('X-Probe: pharos\nAccept: text/plain')
      await page.getByLabel('Request body').fill('{"ping":true}')
      await page.getByLabel('Follow redirects').uncheck()
      await page.getByLabel(/^Threshold in m/).fill('900')
    },
    expected: () => ({
      url: target.url,
      method: 'POST',
      expectedStatus: [200, 201, 202, 418],
      requestHeaders: { 'X-Probe': 'pharos', Accept: 'text/plain' },
      requestBody: '{"ping":true}',
      followRedirects: false,
      degradedThresholdMs: 900,
    }),
    state: 'UP',
  },
  {
    type: 'KEYWORD',
    label: 'Keyword',
    fill: async (page) => {
      await page.getByLabel('URL', { exact: true }).fill(target.url)
      await page.getByLabel('Keyword', { exact: true }).last().fill('Welcome')
    },
    expected: () => ({ url: target.url, keyword: 'Welcome', keywordMatch: 'EXISTS' }),
    state: 'UP',
  },
  {
    type: 'PING',
    label: 'Ping',
    fill: (page) => page.getByLabel('Host', { exact: true }).fill('127.0.0.1'),
    expected: () => ({ host: '127.0.0.1' }),
  },
  {
    type: 'PORT',
    label: 'Port',
    fill: async (page) => {
      await page.getByLabel('Host', { exact: true }).fill('127.0.0.1')
      await page.getByRole('spinbutton', { name: 'Port' }).fill(String(tcpPort))
    },
    expected: () => ({ host: '127.0.0.1', port: tcpPort }),
    state: 'UP',
  },
  {
    type: 'CRON',
    label: 'Cron job',
    fill: async (page) => {
      await page.getByLabel('Expected every', { exact: true }).fill('2')
      await page.getByLabel('Expected every: unit').selectOption('hours')
    },
    expected: () => ({ expectedPeriodSec: 7200, graceSeconds: 60 }),
    state: 'PENDING',
  },
  {
    type: 'DNS',
    label: 'DNS',
    fill: async (page) => {
      await page.getByLabel('Hostname').fill('shop.test')
      await page.getByLabel('Expected values').fill('192.0.2.7')
    },
    expected: () => ({ url: 'shop.test', dnsRecordType: 'A', dnsExpected: '192.0.2.7' }),
    state: 'UP',
  },
  {
    type: 'SSL',
    label: 'Certificate',
    fill: async (page) => {
      await page.getByLabel('Hostname').fill(`127.0.0.1:${tlsPort}`)
      await page.getByText('Advanced').click()
      await page.getByLabel('Require a valid certificate').uncheck()
    },
    expected: () => ({ url: `127.0.0.1:${tlsPort}`, verifySsl: false, sslExpiryThresholdDays: 14 }),
    state: 'UP',
  },
  {
    type: 'DOMAIN',
    label: 'Domain',
    fill: (page) => page.getByLabel('Hostname').fill('shop.test'),
    expected: () => ({ url: 'shop.test' }),
  },
]

describe('Monitors of every type', { skip: withoutBrowser }, () => {
  before(async () => {
    target = stack.use(await startHttpTarget())
    tcpPort = stack.use(await startTcpTarget()).port
    const credentials = makeSelfSigned({ hosts: ['127.0.0.1'], validTo: new Date(Date.now() + 90 * DAY_MS) })
    const server = tls.createServer(credentials, (socket) => socket.on('error', () => socket.destroy()).end())
    tlsPort = stack.use(await listen(server)).port
    const rdap = stack.use(await startRdap())
    rdap.domains.set('shop.test', domain('shop.test', new Date(Date.now() + 200 * DAY_MS).toISOString()))
    const dns = stack.use(await startDnsServer(({ type }) => ({ records: type === 'A' ? ['192.0.2.7'] : [] })))
    env.PHAROS_DNS_SERVERS = dns.address
    env.PHAROS_RDAP_BOOTSTRAP = rdap.bootstrap
  })
  const dashboard = useDashboard({ env })
  after(() => stack.disposeAsync())

  for (const one of cases) {
    test(`${one.label}: created, checked, paused, edited and deleted`, () => lifeOf(dashboard, one))
  }

  test('an error in the folded part opens it', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByLabel('URL or host').fill(target.url)
    await page.getByText('Advanced').click()
    await page.getByLabel('Expected status codes').fill('2xx')
    await page.getByText('Advanced').click()
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('"2xx" is not a status code or a range such as 200-206').first().waitFor()
    assert.ok(await page.getByLabel('Expected status codes').isVisible())
  })
})

/** From its form to its end, by hand. */
async function lifeOf(dashboard: Dashboard, { type, label, fill, expected, state }: Case): Promise<void> {
  const client = dashboard.server.client()
  const page = await dashboard.open()
  await page.goto(dashboard.at('/monitors/new'))
  await page.getByRole('radio', { name: label }).check()
  await fill(page)
  await page.getByLabel('Name', { exact: true }).fill(`My ${label}`)
  await page.getByRole('button', { name: 'Create monitor' }).click()
  await page.getByRole('heading', { level: 1, name: `My ${label}` }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) as string
  const monitor = await current(client, id)
  assert.equal(monitor.type, type)
  assert.deepEqual({ ...monitor, ...expected() }, monitor)

  const check = page.getByRole('button', { name: 'Check now' })
  if (type === 'CRON') assert.equal(await check.count(), 0)
  else {
    await check.click()
    await page.getByText(`My ${label} checked`).waitFor()
  }
  if (state !== undefined) assert.equal((await current(client, id)).state, state)
  await expectAccessible(page, `monitor-of-type-${type.toLowerCase()}`)

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Checks and alerts are paused.').waitFor()
  assert.equal((await current(client, id)).state, 'PAUSED')
  assert.ok(type === 'CRON' || (await check.isDisabled()))
  await page.locator('button:enabled', { hasText: 'Resume' }).click()
  await page.getByText(`My ${label} resumed`).waitFor()
  assert.notEqual((await current(client, id)).state, 'PAUSED')

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('heading', { name: `Edit My ${label}` }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill(`Our ${label}`)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { level: 1, name: `Our ${label}` }).waitFor()
  const edited = await current(client, id)
  assert.deepEqual({ ...edited, ...expected(), name: `Our ${label}` }, edited)

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('its check history and uptime').waitFor()
  await page.getByRole('button', { name: 'Delete monitor' }).click()
  await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor()
  await page.goto('about:blank')
  await eventually(async () => assert.equal((await client.get(`/monitors/${id}`)).status, 404))
}
