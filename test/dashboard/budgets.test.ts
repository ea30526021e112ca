import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { dashboardFolder } from '../../src/server/dashboard/static-files.ts'
import { fill } from '../support/tables.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

const KB = 1024
const FIRST_SCRIPTS = 60 * KB
const FIRST_STYLES = 12 * KB
const CHART = 25 * KB
const MONITORS = 1000
const MOST_TRANSFERRED = 150 * KB
/** To the API, for the first list. */
const MOST_REQUESTS = 6
const MOST_ELEMENTS = 2_000

/** What is built stays small, and the work for a screen does not grow with the organization. */
describe('Budgets of the dashboard', { skip: withoutBrowser }, () => {
  // No checks meanwhile.
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })
  const assets = join(dashboardFolder, 'assets')
  const zipped = (name: string) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length

  test('the first page loads at most 60 KB of scripts and 12 KB of styles', () => {
    const html = readFileSync(join(dashboardFolder, 'index.html'), 'utf8')
    const named = [...html.matchAll(/\/app\/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name]) => name as string)
    const sum = (ending: string) =>
      [...new Set(named)].filter((name) => name.endsWith(ending)).reduce((total, name) => total + zipped(name), 0)
    assert.ok(sum('.js') > 0 && sum('.css') > 0, 'index.html names no scripts or styles')
    assert.ok(sum('.js') <= FIRST_SCRIPTS, `${sum('.js')} bytes of scripts`)
    assert.ok(sum('.css') <= FIRST_STYLES, `${sum('.css')} bytes of styles`)
  })

  test('the chart is a separate chunk of at most 25 KB', () => {
    const [chart] = readdirSync(assets).filter((name) => /^response-chart-.*\.js$/.test(name))
    assert.ok(chart !== undefined, 'there is no chunk with the chart')
    assert.ok(zipped(chart) <= CHART, `${zipped(chart)} bytes`)
  })

  test('a list of a thousand monitors takes at most 150 KB, few requests and the elements of one page', async () => {
    const { server } = dashboard
    await fill(server, await server.defaultOrgId(), MONITORS, (i) => {
      const name = `Service ${String(i).padStart(4, '0')} of the platform`
      return { name, type: 'HTTP', url: `https://shop.example/${name}` }
    })
    const page = await dashboard.open({ isNew: true })
    const traffic = await countTraffic(page)
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('1,000 monitors, problems first').waitFor()
    await page.getByText('1 – 50 of 1,000').waitFor()
    assert.equal(await page.locator('[data-row]').count(), 50)
    assert.ok(traffic.bytes > 0 && traffic.bytes <= MOST_TRANSFERRED, `${traffic.bytes} bytes were transferred`)
    assert.ok(traffic.requests.length <= MOST_REQUESTS, `requests: ${traffic.requests.join(', ')}`)
    const elements = await page.evaluate<number>('document.querySelectorAll("*").length')
    assert.ok(elements <= MOST_ELEMENTS, `${elements} elements`)

    traffic.requests.length = 0
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 – 100 of 1,000').waitFor()
    assert.ok(traffic.requests.length <= 2, `requests of the next page: ${traffic.requests.join(', ')}`)
    await page.getByRole('searchbox').fill('0999')
    await page.getByText('1 match').waitFor()
    assert.equal(await page.locator('[data-row]').count(), 1)
  })
})

/** What the page asks the API for, and how many bytes it receives in all, as they are on the network. */
async function countTraffic(page: Page): Promise<{ bytes: number; readonly requests: string[] }> {
  const traffic = { bytes: 0, requests: [] as string[] }
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    traffic.bytes += encodedDataLength
  })
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/app/api/')) traffic.requests.push(pathname)
  })
  return traffic
}
