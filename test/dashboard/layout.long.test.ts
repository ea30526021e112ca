import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { newId } from '../../src/lib/ids.ts'
import { openIncident } from '../../src/monitoring/incidents/queries.ts'
import { execute, q } from '../../src/storage/query.ts'
import { setMonitorState } from '../publishing/public-site/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { type Dashboard, useDashboard, withoutBrowser } from './dashboard.ts'

const longName = 'Recommendation engine for the storefront home page of the european shops'
const CAUSE = 'HTTP 503 Service Unavailable (expected 2xx or 3xx)'
const MINUTE_MS = 60_000

/** Positions are measured: what a person sees, not the classes that make it. */
describe('The layout', { skip: withoutBrowser }, () => {
  // No checks: the states are set. No contact, so that the banner about alerts is shown.
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api', PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  let firstId = ''
  before(async () => {
    firstId = await fill(dashboard)
  })

  test('all screens begin at the same left edge', async () => {
    const page = await dashboard.open()
    const paths = [
      '/',
      '/monitors',
      '/monitors/new',
      `/monitors/${firstId}`,
      '/incidents',
      '/published',
      '/maintenance',
    ]
    paths.push('/status-pages', '/webhooks', '/settings/organization', '/settings/keys', '/welcome', '/nowhere')
    for (const width of [1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const edges: Record<string, number> = {}
      for (const path of paths) {
        await page.goto(dashboard.at(path))
        // Not the heading that screen readers get while the screen loads.
        const title = page.locator('#main h1:not(.sr-only)')
        edges[path] = await eventually(async () => {
          const left = await title.evaluate((one) => (one.isConnected ? one.getBoundingClientRect().left : null))
          assert.ok(left !== null)
          return left
        })
      }
      assert.deepEqual([...new Set(Object.values(edges))], [252], `${width} px: ${JSON.stringify(edges)}`)
    }
  })

  list(dashboard)
  otherScreens(dashboard)
})

function list(dashboard: Dashboard): void {
  test('rows of the list have one height, show duration and reason, and fill wide screens', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.locator('tr[data-id]').nth(11).waitFor()
    const row = page.locator('tr[data-id]').first()
    assert.match(await row.innerText(), new RegExp(`Down\\s+1\\d min\\s+${CAUSE.replace(/[()]/g, '\\$&')}`))
    for (const width of [1024, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const heights = (await boxesOf(page, 'tr[data-id]')).map(({ height }) => height)
      assert.ok(
        heights.every((height) => height >= 48 && height <= 56),
        `${width} px: ${heights}`,
      )
    }
    const gaps = await row.evaluate((tr) => {
      const shown = [...tr.children].map((cell) => cell.getBoundingClientRect()).filter(({ width }) => width > 0)
      const edges = shown.toSorted((a, b) => a.left - b.left)
      return {
        between: Math.max(...edges.slice(1).map(({ left }, i) => left - (edges[i]?.right ?? 0))),
        widest: Math.max(...edges.map(({ width }) => width)) / tr.getBoundingClientRect().width,
      }
    })
    assert.ok(gaps.between <= 24 && gaps.widest < 0.35, JSON.stringify(gaps))
  })

  test('the bars show the hour under the pointer', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const { x, y, width, height } = await boxOf(page.getByRole('img', { name: /^Last 24 hours/ }).first())
    await page.mouse.move(x + width - 2, y + height / 2)
    const tip = page.getByRole('tooltip')
    assert.match(await tip.innerText(), /^\d+:00 [AP]M – \d+:00 [AP]M: (down|without data)$/)
    await page.mouse.move(x + 2, y + height / 2)
    await page.getByRole('tooltip', { name: '' }).filter({ hasText: 'without data' }).waitFor()
    await page.mouse.move(0, 0)
    await tip.waitFor({ state: 'detached' })
  })

  test('a phone shows four monitors without scrolling, below the banner', async () => {
    const context = await dashboard.browser.newContext({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    })
    const [name = '', value = ''] = (dashboard.owner.cookie ?? '').split('=', 2)
    await context.addCookies([{ name, value, domain: 'localhost', path: '/' }])
    const page = await context.newPage()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('complementary', { name: 'Missing alerts' }).waitFor()
    await page.locator('tr[data-id]').nth(4).waitFor()
    const bar = await boxOf(page.getByRole('navigation', { name: 'Main' }).locator('visible=true'))
    const rows = await boxesOf(page, 'tr[data-id]')
    const whole = rows.filter(({ y, height }) => y + height <= bar.y).length
    assert.ok(whole >= 4, `${whole} rows above ${bar.y}: ${JSON.stringify(rows.slice(0, 5))}`)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Group by').waitFor()
  })
}

function otherScreens(dashboard: Dashboard): void {
  test('the overview begins with the outage, 64 px per incident', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    const incidents = page
      .getByRole('list')
      .filter({ has: page.getByText(CAUSE) })
      .first()
    await page.getByRole('complementary', { name: 'Missing alerts' }).waitFor()
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      const heights = (await boxesOf(page, 'main li:has([data-row])')).map(({ height }) => Math.round(height))
      assert.deepEqual(new Set(heights), new Set([64]), `${width} px: ${heights}`)
      const banner = await boxOf(page.getByRole('complementary', { name: 'Missing alerts' }))
      assert.ok((await boxOf(incidents)).y < banner.y, `${width} px: the incidents come first`)
    }
  })

  test('a long name in a picker keeps the type on one line', async () => {
    const page = await dashboard.open({ width: 390 })
    await page.goto(dashboard.at('/maintenance/new'))
    const option = page.locator('label').filter({ hasText: `Old ${longName}` })
    await option.scrollIntoViewIfNeeded()
    const { height, width } = await boxOf(option.getByText('Cron job'))
    assert.ok(height < 24 && width > 40, `${width} × ${height} px`)
  })

  test('deliveries take one line where there is room', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/webhooks'))
    await page.locator('a[href*="/webhooks/deliveries/"]').first().waitFor()
    for (const { height } of await boxesOf(page, 'li:has(> span a[href*="/webhooks/deliveries/"])'))
      assert.ok(height < 48, `${height} px`)
  })

  test('the wall board shows full names', async () => {
    const page = await dashboard.open({ width: 1920 })
    await page.setViewportSize({ width: 1920, height: 1080 })
    await page.goto(dashboard.at('/?board'))
    await page.getByRole('list', { name: 'Other monitors' }).getByText(longName).waitFor()
    const names = page.locator('main li a, main li a span')
    const cut = await names.evaluateAll((all) =>
      all
        .filter(
          (one) =>
            one.clientWidth > 0 && (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 2),
        )
        .map(({ textContent }) => textContent),
    )
    assert.deepEqual(cut, [])
    const tiles = await boxesOf(page, 'main li')
    assert.ok(
      tiles.every(({ y, height }) => y + height <= 1080),
      'all tiles are on the screen',
    )
  })
}

type Boxes = readonly { x: number; y: number; width: number; height: number }[]

function boxesOf(page: Page, selector: string): Promise<Boxes> {
  return page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))
}

async function boxOf(locator: ReturnType<Page['locator']>) {
  const box = await locator.boundingBox()
  assert.ok(box !== null)
  return box
}

/** Monitors in all states, two of them down for 14 minutes, a webhook whose deliveries fail. Gives the id of one that is down. */
async function fill({ server }: Dashboard): Promise<string> {
  const client = server.client()
  const endpoint = { url: 'http://127.0.0.1:9/hook', eventTypes: ['monitor.created'] }
  assert.equal((await client.post('/webhook-endpoints', endpoint)).status, 201)
  let downId = ''
  for (let i = 0; i < 24; i += 1) {
    const name = i === 5 || i === 6 ? `${i === 5 ? '' : 'Old '}${longName}` : `Service ${i}`
    const { id } = await createMonitor(client, { name, type: 'CRON' })
    const isDown = i === 3 || i === 6
    await setMonitorState(server, id, isDown ? 'DOWN' : i === 4 ? 'DEGRADED' : 'UP', Date.now() - 14.5 * MINUTE_MS)
    if (i < 8) await client.send('PUT', `/monitors/${id}/labels`, { labels: { team: 'payments', environment: 'prod' } })
    if (!isDown) continue
    downId = id
    await server.running.database.write(function* () {
      const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
      assert.ok(monitor)
      const failure = {
        at: Date.now() - 14 * MINUTE_MS,
        statusCode: 503,
        responseMs: 9,
        error: CAUSE,
        ip: null,
        excerpt: null,
      }
      yield* openIncident(monitor.org_id, newId('inc', failure.at), monitor.num, 'STATUS', failure as never)
    })
  }
  return downId
}
