import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createMonitor } from '../support/monitors.ts'
import { addressOf, openOutside } from './accounts.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The look of the frame around every screen', { skip: withoutBrowser }, () => {
  // People may make organizations of their own here.
  const dashboard = useDashboard({ env: { PHAROS_OPEN_SIGNUP: 'true' } })
  before(async () => {
    for (const name of ['Backup of the shop', 'Backup of the mail'])
      await createMonitor(dashboard.server.client(), { name, type: 'CRON' })
    assert.equal((await dashboard.owner.post('/organizations', { name: 'Umbrella' })).status, 201)
  })

  palette(dashboard)

  test('the help lists all keyboard shortcuts', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('2 monitors, problems first').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await expectAccessible(page, 'keyboard-help')
  })

  test('the menu opens beside its button, on desktop and on a phone', async () => {
    for (const width of [1280, 390]) {
      const page = await dashboard.open({ width })
      await page.goto(dashboard.at('/monitors'))
      await page
        .getByRole('button', { name: /^Acme: organizations/ })
        .locator('visible=true')
        .click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).locator('visible=true').waitFor()
      await page.getByRole('button', { name: 'Umbrella', exact: true }).locator('visible=true').waitFor()
      await expectAccessible(page, width === 390 ? 'user-menu-phone' : 'user-menu')
    }
  })

  test('toasts are accessible', async () => {
    const page = await dashboard.open({ isNew: true })
    // It would be gone before it was looked at.
    await page.addInitScript(
      'const later = setTimeout; setTimeout = (work, ms, ...rest) => later(work, ms === 5000 ? 600_000 : ms, ...rest)',
    )
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('link', { name: 'Backup of the mail' }).focus()
    for (const change of ['paused', 'resumed']) {
      await page.keyboard.press('p')
      await page.getByText(`Backup of the mail ${change}`).waitFor()
    }
    await expectAccessible(page, 'toasts')
    assert.ok(await page.getByText('Backup of the mail resumed').isVisible())
  })

  test('an empty screen says so and links to the next step', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/nowhere'))
    await page.getByText('Page not found').waitFor()
    await expectAccessible(page, 'nothing-here')
    await page.goto(addressOf(dashboard.server, '/o/somebody-elses/monitors'))
    await page.getByText('You don’t have access to this organization').waitFor()
    await expectAccessible(page, 'no-such-organization')
  })
})

function palette(dashboard: Dashboard): void {
  test('the palette finds screens and monitors by a few letters', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('2 monitors, problems first').waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('combobox', { name: 'Screen, monitor or action' })
    await field.and(page.locator(':focus')).waitFor()
    await expectAccessible(page, 'palette')
    await field.fill('zzz')
    await page.getByRole('dialog').getByText('No results').first().waitFor()
    await expectAccessible(page, 'palette-nothing')
    await field.fill('backup')
    await page.getByRole('option', { name: 'Backup of the mail' }).waitFor()
    await expectAccessible(page, 'palette-found')
    await page.keyboard.press('ArrowDown')
    const chosen = await page
      .getByRole('listbox', { name: 'Results' })
      .getByRole('option', { selected: true })
      .textContent()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /^Backup of the/ }).waitFor()
    assert.ok(
      chosen?.startsWith((await page.getByRole('heading', { level: 1 }).textContent()) ?? 'nothing'),
      chosen ?? '',
    )
  })

  test('the palette finds settings, status pages and actions, and does not move while results load', async () => {
    const created = await dashboard.server.client().post('/status-pages', { name: 'Public status' })
    assert.equal(created.status, 201)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('2 monitors, problems first').waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('combobox', { name: 'Screen, monitor or action' })
    const results = page.getByRole('listbox', { name: 'Results' })
    await field.waitFor()
    const before = await page.getByRole('dialog').boundingBox()
    for (const [typed, name] of [
      ['audit', 'Audit log'],
      ['password', 'Your account'],
      ['public st', 'Public status'],
      ['new stat', 'New status page'],
      ['dark', 'Dark theme'],
      ['log out', 'Sign out'],
      ['tv', 'Wall board'],
      ['help', 'Keyboard shortcuts'],
    ] as const) {
      await field.fill(typed)
      await results.getByRole('option', { name, selected: true }).waitFor()
    }
    assert.deepEqual(await page.getByRole('dialog').boundingBox(), before, 'the dialog neither moves nor grows')
    await field.fill('pause')
    await page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'pause ')
    await page.keyboard.type('mail')
    await results.getByRole('option', { name: 'Pause Backup of the mail', selected: true }).waitFor()
    await expectAccessible(page, 'palette-pause')
    await page.keyboard.press('Enter')
    await page.getByText('Backup of the mail paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Backup of the mail resumed').waitFor()
  })
}

const screens = {
  overview: '/',
  monitors: '/monitors',
  monitor: '/monitors/mon_1',
  'edit-monitor': '/monitors/mon_1/edit',
  incidents: '/incidents',
  incident: '/incidents/inc_1',
  published: '/published',
  'published-new': '/published/new',
  'published-view': '/published/sinc_1',
  maintenance: '/maintenance',
  'maintenance-window': '/maintenance/mw_1',
  pages: '/status-pages',
  'page-editor': '/status-pages/page_1',
  webhooks: '/webhooks',
  'webhook-endpoint': '/webhooks/we_1',
  delivery: '/webhooks/deliveries/dlv_1',
  'settings-organization': '/settings/organization',
  'settings-members': '/settings/members',
  'settings-contacts': '/settings/contacts',
  'settings-audit': '/settings/audit',
  'settings-account': '/settings/account',
  'settings-keys': '/settings/keys',
} as const

const error = { code: 'internal_error', message: 'Something broke on our side', requestId: 'req_0123456789abcdef' }

/** Answers nothing but who is there: with an error, or never. */
async function withhold(page: Page, how: 'broken' | 'waiting', what = /\/app\/api\/(?!me$|events)/): Promise<void> {
  await page.route(what, (route) => {
    // One that is not worth trying again, or the page would be patient.
    if (how === 'broken') return route.fulfill({ status: 422, json: { error } })
  })
}

describe('The look of loading and failed screens', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('every screen shows that it is loading', async () => {
    const page = await dashboard.open()
    await withhold(page, 'waiting')
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(dashboard.at(path))
      await page.getByRole('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'attached' })
      await expectAccessible(page, `waiting-${name}`)
    }
  })

  test('every screen whose request fails shows the reason, what to report, and a retry button', async () => {
    const page = await dashboard.open()
    await withhold(page, 'broken')
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(dashboard.at(path))
      await page.getByRole('alert').getByText('Something broke on our side').first().waitFor()
      await page.getByText('req_0123456789abcdef').first().waitFor()
      await page.getByRole('button', { name: 'Retry' }).first().waitFor()
      await expectAccessible(page, `broken-${name}`)
    }
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Something broke on our side').waitFor({ state: 'detached' })
  })

  test('a failed part of a screen leaves the other parts working', async () => {
    const { id } = await createMonitor(dashboard.server.client(), { name: 'Backup', type: 'CRON' })
    const page = await dashboard.open()
    await withhold(page, 'broken', /\/app\/api\/v1\/(monitors\/\w+\/|board|incidents|maintenance-windows)/)
    await page.goto(dashboard.at(`/monitors/${id}`))
    await page.getByRole('heading', { level: 1, name: 'Backup' }).waitFor()
    await page.getByRole('alert').nth(1).waitFor()
    await expectAccessible(page, 'broken-monitor-parts')
    await page.goto(dashboard.at('/'))
    await page.getByRole('alert').nth(1).waitFor()
    await expectAccessible(page, 'broken-overview-parts')
  })

  test('the dashboard shows loading or an error until the session is known', async () => {
    for (const how of ['waiting', 'broken'] as const) {
      const page = await dashboard.open()
      await withhold(page, how, /\/app\/api\/(me|about)$/)
      const outside = await openOutside(dashboard)
      await withhold(outside, how, /\/app\/api\/about$/)
      const shown = how === 'waiting' ? 'Loading' : 'Something broke on our side'
      for (const [window, name, path] of [
        [page, 'workspace', '/o/default/monitors'],
        [page, 'home', '/'],
        [outside, 'sign-in', '/sign-in'],
        [outside, 'sign-up', '/sign-up'],
        [outside, 'reset-password', '/reset-password'],
      ] as const) {
        await window.goto(addressOf(dashboard.server, path))
        await window.getByRole('main').getByText(shown).first().waitFor({ state: 'attached' })
        await expectAccessible(window, `${how}-${name}`)
      }
    }
  })

  test('a screen recovers by itself when the server responds again', async () => {
    const page = await dashboard.open({ isNew: true })
    let isDown = true
    await page.route(/\/app\/api\/(?!events)/, (route) => (isDown ? route.fulfill({ status: 503 }) : route.continue()))
    await page.clock.install()
    await page.goto(dashboard.at('/incidents'))
    for (let i = 0; i < 4; i += 1) await page.clock.runFor(2_000)
    await page.getByText('Retrying automatically.').waitFor()
    await page.clock.runFor(31_000)
    await page.getByText('Retrying automatically.').waitFor()
    isDown = false
    for (let i = 0; i < 4; i += 1) await page.clock.runFor(10_000)
    await page.getByText('No ongoing incidents').waitFor()
  })

  test('a screen whose code is loading shows a placeholder', async () => {
    const page = await dashboard.open()
    await withhold(page, 'waiting', /\/assets\/monitors-[^/]+\.js$/)
    await page.goto(dashboard.at('/monitors'), { waitUntil: 'commit' })
    await page.getByRole('main').getByText('Loading', { exact: true }).waitFor({ state: 'attached' })
    await expectAccessible(page, 'waiting-for-code')
  })
})
