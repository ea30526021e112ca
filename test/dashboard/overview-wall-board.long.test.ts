import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { fitTiles } from '../../dashboard/src/screens/overview/fit-tiles.ts'
import { setMonitorState } from '../publishing/public-site/fixtures.ts'
import { createMonitor } from '../support/monitors.ts'
import { Person } from '../support/person.ts'
import { expectAccessible, expectNoViolations, OWNER, useDashboard, withoutBrowser } from './dashboard.ts'

test('ten and three hundred tiles fit on a screen; a phone scrolls', () => {
  for (const count of [1, 10, 100, 300]) {
    const { columns, rowPx } = fitTiles(count, 1880, 800)
    assert.ok(Math.ceil(count / columns) * (rowPx + 6) <= 806, `${count} tiles: ${columns} columns of ${rowPx} px`)
  }
  assert.ok(fitTiles(10, 1880, 800).fontPx >= 30, 'few tiles are large')
  assert.equal(fitTiles(300, 360, 800).columns, 3)
})

describe('The wall board', { skip: withoutBrowser }, () => {
  // No checks: the states are set.
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })
  const ids: string[] = []
  before(async () => {
    for (let i = 0; i < 10; i += 1) {
      const { id } = await createMonitor(dashboard.server.client(), { name: `Service ${i}`, type: 'CRON' })
      await setMonitorState(dashboard.server, id, i === 3 ? 'DOWN' : 'UP', Date.now() - 60_000)
      ids.push(id)
    }
  })

  test('shows all monitors without navigation, dark by default, with problems first', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    await page.getByRole('link', { name: 'Wall board' }).click()
    await page.getByRole('heading', { level: 1, name: '1 of 10 down' }).waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0)
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    await page.getByRole('list', { name: 'Problems' }).getByRole('link', { name: 'Service 3' }).waitFor()
    assert.equal(await page.getByRole('list', { name: 'Other monitors' }).getByRole('listitem').count(), 9)
    await expectAccessible(page, 'wall-board')
    await page.getByRole('button', { name: 'Light theme' }).click()
    await page.locator('html[data-theme="light"]').waitFor()
    await expectNoViolations(page, 'wall-board-light')
    await page.getByRole('link', { name: 'Close wall board' }).click()
    await page.getByRole('heading', { level: 1, name: /Service 3 is down/ }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
    assert.equal(await page.locator('html').getAttribute('data-theme'), null, 'the theme of the user is back')
  })

  test('recovers by itself after an outage, and follows changes', async () => {
    const page = await dashboard.open({ isNew: true })
    await page.clock.install()
    await page.goto(dashboard.at('/?board'))
    await page.getByRole('heading', { level: 1, name: '1 of 10 down' }).waitFor()
    await page.route('**/app/api/**', (route) => route.fulfill({ status: 503, body: '' }))
    // The interval, and the retries of one query.
    for (let i = 0; i < 8; i += 1) await page.clock.runFor(5_000)
    await page.getByText(/^Connection lost\. Data from/).waitFor()
    await expectNoViolations(page, 'wall-board-offline', 'dark')
    await setMonitorState(dashboard.server, ids[5] as string, 'DOWN', Date.now())
    await page.unroute('**/app/api/**')
    for (let i = 0; i < 8; i += 1) await page.clock.runFor(5_000)
    await page.getByRole('heading', { level: 1, name: '2 of 10 down' }).waitFor()
    await page.getByText(/^Connection lost/).waitFor({ state: 'detached' })
  })

  test('says that the session has ended', async () => {
    const person = new Person(dashboard.server)
    assert.equal((await person.signIn(OWNER)).status, 200)
    const page = await dashboard.open({ person, isNew: true })
    await page.clock.install()
    await page.goto(dashboard.at('/?board'))
    await page.getByRole('heading', { level: 1, name: /of 10 down/ }).waitFor()
    await person.post('/sign-out')
    for (let i = 0; i < 4; i += 1) await page.clock.runFor(5_000)
    await page.getByText('Your session has ended').waitFor()
    await expectNoViolations(page, 'wall-board-signed-out', 'dark')
    const link = page.getByRole('link', { name: 'Sign in again' })
    assert.match((await link.getAttribute('href')) ?? '', /next=%2Fo%2Fdefault%2F%3Fboard$/)
  })
})
