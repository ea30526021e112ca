import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { dashboardFolder } from '../../src/server/dashboard/static-files.ts'
import { made } from '../support/monitors.ts'
import { useStage, withoutBrowser } from './stage.ts'

const KB = 1024
const FIRST_SCRIPTS = 60 * KB
const FIRST_STYLES = 12 * KB
const CHART = 25 * KB
const MONITORS = 1000
const MOST_TRANSFERRED = 150 * KB
const LONGEST_TASK_MS = 200

/** What is built must stay small, and a large organization must stay quick. */
describe('Budgets of the dashboard', { skip: withoutBrowser }, () => {
  // Nothing is checked meanwhile: this is about listing.
  const stage = useStage({ env: { PHAROS_ROLES: 'api' } })
  const assets = join(dashboardFolder, 'assets')
  const zipped = (name: string) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length

  test('what is loaded first fits into 60 KB of scripts and 12 KB of styles', () => {
    const html = readFileSync(join(dashboardFolder, 'index.html'), 'utf8')
    const named = [...html.matchAll(/\/app\/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name]) => name as string)
    const sum = (ending: string) =>
      [...new Set(named)].filter((name) => name.endsWith(ending)).reduce((total, name) => total + zipped(name), 0)
    assert.ok(sum('.js') > 0 && sum('.css') > 0, 'index.html names no scripts or styles')
    assert.ok(sum('.js') <= FIRST_SCRIPTS, `${sum('.js')} bytes of scripts`)
    assert.ok(sum('.css') <= FIRST_STYLES, `${sum('.css')} bytes of styles`)
  })

  test('the chart is a chunk of its own of at most 25 KB', () => {
    const [chart] = readdirSync(assets).filter((name) => /^response-chart-.*\.js$/.test(name))
    assert.ok(chart !== undefined, 'there is no chunk with the chart')
    assert.ok(zipped(chart) <= CHART, `${zipped(chart)} bytes`)
  })

  test('a thousand monitors are listed with at most 150 KB and without a long task', async () => {
    const client = stage.server.client()
    const names = Array.from({ length: MONITORS }, (_, i) => `Service ${String(i).padStart(4, '0')} of the platform`)
    while (names.length > 0) {
      const some = names.splice(0, 25)
      await Promise.all(some.map((name) => made(client, { name, type: 'HTTP', url: `https://shop.example/${name}` })))
    }
    // A machine that stands still makes every task a long one; what is long in the code is long each time.
    const tries: number[][] = []
    while (tries.length < 3 && !tries.some(isSwift)) tries.push(await lookThrough(await stage.open()))
    assert.ok(
      tries.some(isSwift),
      `tasks of ${tries.map((tasks) => tasks.map(Math.round).join(', ')).join(' ms; ')} ms`,
    )
  })

  const isSwift = (tasks: readonly number[]): boolean => tasks.every((ms) => ms <= LONGEST_TASK_MS)

  /** Lists, turns the page and searches; gives how long the long tasks were. */
  async function lookThrough(page: Page): Promise<number[]> {
    await page.addInitScript(
      'window.longTasks = []; new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((task) => ' +
        "task.duration))).observe({ type: 'longtask', buffered: true })",
    )
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    let transferred = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      transferred += encodedDataLength
    })
    await page.goto(stage.at('/monitors'))
    await page.getByText('1,000 monitors, problems first').waitFor()
    await page.getByText('1 – 50 of 1,000').waitFor()
    assert.equal(await page.locator('[data-row]').count(), 50)
    assert.ok(transferred > 0 && transferred <= MOST_TRANSFERRED, `${transferred} bytes were transferred`)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 – 100 of 1,000').waitFor()
    await page.getByRole('searchbox').fill('0999')
    await page.getByText('1 matches').waitFor()
    return page.evaluate<number[]>('longTasks')
  }
})
