import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { newId } from '../../src/lib/ids.ts'
import { openIncident } from '../../src/monitoring/incidents/queries.ts'
import { execute, q } from '../../src/storage/query.ts'
import { setMonitorState } from '../publishing/public-site/fixtures.ts'
import { createMonitor, setLabels } from '../support/monitors.ts'
import { createDelivery, createEndpoint } from '../support/webhooks.ts'
import {
  type Dashboard,
  expectFits,
  expectNoViolations,
  takePictures,
  useDashboard,
  withoutBrowser,
} from './dashboard.ts'
import { HOUR_MS, MINUTE_MS, pastIncident, remember } from './past-results.ts'
import { createAt } from './publishing.ts'

const checker = readFileSync(fileURLToPath(import.meta.resolve('../support/text-faults.js')), 'utf8')

/** 120 characters. */
const nameOf = (i: number) =>
  `Customer ${String(i).padStart(3, '0')}: recommendation-engine.storefront.eu-central-1.example, the home page of all european shops and apps`.padEnd(
    120,
    '!',
  )
/** 200 characters. */
const REASON =
  `HTTP 503 Service Unavailable (expected 2xx or 3xx) after a redirect to https://login.shop.example/${'sign-in/'.repeat(11)}index.html`.padEnd(
    200,
    'x',
  )
const BODY = `<html><head><title>503</title></head><body><p>${'upstream connect error or disconnect/reset before headers; '.repeat(20)}${'x'.repeat(300)}</p></body></html>`
const LABELS = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`label-number-${i}`, `a-value-of-forty-characters-and-number-${i}`]),
)

/** Every screen, with the longest that people enter and targets answer: nothing scrolls sideways, covers something else or is cut off. */
describe('Long names, labels and reasons', { skip: withoutBrowser }, () => {
  // No checks: the states are set.
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api', PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  let paths: readonly string[] = []
  before(async () => {
    paths = await fill(dashboard)
  })

  test('fit every screen at 390, 1280 and 1920 px and on paper', async () => {
    const page = await dashboard.open()
    const faults: string[] = []
    for (const path of paths) {
      await page.goto(dashboard.at(path))
      await page.locator('#main h1:not(.sr-only), main h1:not(.sr-only)').first().waitFor()
      await page.getByRole('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
      // The part of a monitor that is down which comes last.
      const isDown = path === paths.find((one) => one.startsWith('/monitors/mon_'))
      if (isDown) await page.getByText('Response body', { exact: true }).waitFor()
      await openAll(page)
      for (const width of [390, 1280, 1920]) faults.push(...(await faultsAt(page, path, width)))
      await takePictures(page, `long${path.replaceAll(/[^\w]+/g, '-')}`)
      await page.setViewportSize({ width: 1280, height: 900 })
      faults.push(...(await messageOf(expectNoViolations(page, path))))
      await page.emulateMedia({ media: 'print' })
      // A4 without margins.
      faults.push(...(await faultsAt(page, `${path} on paper`, 718)))
      await page.emulateMedia({ media: 'screen' })
    }
    assert.deepEqual(faults, [])
  })
})

async function faultsAt(page: Page, path: string, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 900 })
  const found = await page.evaluate<string[]>(`globalThis.textFaults ?? (() => { ${checker} })(), textFaults()`)
  return [
    ...(await messageOf(expectFits(page, path, width))),
    ...found.slice(0, 5).map((fault) => `${path} at ${width} px: ${fault}`),
  ]
}

/** Nothing if the expectation holds. */
function messageOf(expectation: Promise<void>): Promise<readonly string[]> {
  return expectation.then(
    () => [],
    ({ message }: Error) => [message.slice(0, 400)],
  )
}

/** What is folded is looked at, too. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("main details")) one.open = true')
}

/** Down and up monitors, an incident, and one of everything else, each with a long name. Gives the paths of their screens. */
async function fill({ server, owner }: Dashboard): Promise<readonly string[]> {
  const client = server.client()
  const now = Date.now()
  const ids: string[] = []
  for (let i = 0; i < 8; i += 1) {
    const url = `https://shop.example/${'very/long/path/'.repeat(12)}?number=${i}`
    const { id } = await createMonitor(client, {
      name: nameOf(i),
      type: i === 7 ? 'CRON' : 'HTTP',
      ...(i < 7 && { url }),
    })
    ids.push(id)
    await setLabels(client, id, LABELS)
    await setMonitorState(server, id, i < 3 ? 'DOWN' : i === 3 ? 'DEGRADED' : 'UP', now - 14.5 * MINUTE_MS)
    if (i < 6) await remember(server, id, { ms: 120, down: { 5: 14, 30: 25 } })
    await pastIncident(server, id, now - (i + 2) * HOUR_MS, 25 * MINUTE_MS, REASON)
    if (i < 3) await open(server, id, now - 14 * MINUTE_MS)
  }
  const [first = '', second = ''] = ids
  const settings = { url: `https://hooks.example/${'alerts/'.repeat(20)}` }
  await owner.post('/v1/contacts', { name: nameOf(20), channel: 'WEBHOOK', settings })
  await createAt(client, '/monitors/bulk', {
    action: 'MUTE',
    monitorIds: [second],
    until: new Date(now + HOUR_MS).toISOString(),
  }).catch(() => {})
  const sections = [{ name: nameOf(30).slice(0, 100), monitors: ids.map((monitorId) => ({ monitorId })) }]
  const statusPage = await createAt(client, '/status-pages', {
    name: nameOf(31).slice(0, 100),
    slug: `status-${'x'.repeat(40)}`,
    sections,
  })
  const published = await createAt(client, '/status-incidents', {
    title: nameOf(32),
    statusPageIds: [statusPage.id],
    affectedMonitors: ids.map((monitorId) => ({ monitorId, status: 'PARTIAL_OUTAGE' })),
    message: REASON,
  })
  const window = await createAt(client, '/maintenance-windows', {
    name: nameOf(33).slice(0, 100),
    startsAt: new Date(now + HOUR_MS).toISOString(),
    endsAt: new Date(now + 2 * HOUR_MS).toISOString(),
    monitorIds: ids,
  })
  const endpoint = await createEndpoint(client, { url: `https://hooks.example/${'events/'.repeat(25)}` })
  const delivery = await createDelivery(client, endpoint.id)
  const incidents = (await client.get('/incidents?status=ONGOING')).body.data
  return [
    '/',
    '/?board',
    '/monitors',
    '/monitors?group=label:label-number-1',
    '/monitors/new',
    `/monitors/${first}`,
    `/monitors/${ids[7]}`,
    `/monitors/${first}/edit`,
    '/incidents?status=all',
    `/incidents/${incidents[0].id}`,
    '/published',
    '/published/new',
    `/published/${published.id}`,
    '/maintenance',
    '/maintenance/new',
    `/maintenance/${window.id}`,
    '/status-pages',
    `/status-pages/${statusPage.id}`,
    '/webhooks',
    `/webhooks/${endpoint.id}`,
    `/webhooks/deliveries/${delivery.id}`,
    '/settings/organization',
    '/settings/members',
    '/settings/contacts',
    '/settings/keys',
    '/settings/audit',
    '/settings/import',
    '/settings/account',
  ]
}

/** An ongoing incident with a long reason and a long response. */
async function open({ running }: Dashboard['server'], monitorId: string, at: number): Promise<void> {
  await running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', monitorId))
    assert.ok(monitor)
    const failure = { at, statusCode: 503, responseMs: 9, error: REASON, ip: '203.0.113.7', excerpt: BODY }
    yield* openIncident(monitor.org_id, newId('inc', at), monitor.num, 'STATUS', failure)
  })
}
