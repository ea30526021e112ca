import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { type HttpTarget, useHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { type Body, createAt, createMonitors, got } from './publishing.ts'

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

describe('Maintenance', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const scene = { dashboard, target: useHttpTarget() } as Scene
  before(async () => {
    scene.page = await dashboard.open()
  })
  planning(scene)
  underWay(scene)
})

interface Scene {
  readonly dashboard: Dashboard
  readonly target: HttpTarget
  page: Page
  ids: Record<string, string>
}

async function windows({ dashboard }: Scene): Promise<Body[]> {
  return (await got(dashboard.server.client(), '/maintenance-windows')).data
}

async function windowNamed(scene: Scene, name: string): Promise<Body> {
  return (await windows(scene)).find((window) => window.name === name)
}

function planning(scene: Scene): void {
  test('an empty list explains what a maintenance window is for', async () => {
    const { page, dashboard } = scene
    scene.ids = await createMonitors(dashboard.server.client(), scene.target.url, ['Checkout', 'Search'])
    await page.goto(dashboard.at('/maintenance'))
    await page.getByText('No maintenance scheduled').waitFor()
    await expectAccessible(page, 'maintenance-empty')
  })

  test('a window is scheduled from a preset, with its times in words', async () => {
    const { page, ids } = scene
    await page.getByRole('link', { name: 'Schedule maintenance' }).first().click()
    await page.getByLabel('Name').fill('Database upgrade')
    await page.getByRole('button', { name: 'Every Sunday, 2:00 AM to 4:00 AM' }).click()
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    const words = page.getByRole('region', { name: 'Summary' })
    await words.getByText('Every Sunday, 2:00 AM to 4:00 AM, Europe/Berlin time (2 h).').waitFor()
    assert.equal(await words.getByRole('listitem').count(), 3)
    await page.getByRole('checkbox', { name: 'Checkout' }).check()
    await expectAccessible(page, 'maintenance-new')
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByRole('heading', { level: 1, name: 'Database upgrade' }).waitFor()
    const created = await windowNamed(scene, 'Database upgrade')
    assert.equal(created.recurrence, 'WEEKLY')
    assert.deepEqual(created.daysOfWeek, [7])
    assert.deepEqual(created.monitorIds, [ids.Checkout])
    // The first of the times that the browser works out is the server's.
    const first = await page.getByRole('listitem').filter({ hasText: ' to ' }).first().textContent()
    const next = new Date(created.nextOccurrence.startsAt)
    assert.ok(first?.includes(`${next.getUTCHours()}:00`), first ?? '')
    await expectAccessible(page, 'maintenance-repeating')
  })

  test('an error from the server is shown beside its field, and nothing is lost', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/maintenance/new'))
    await page.getByLabel('Name').fill('Covers nothing')
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByText('Choose at least one monitor, all monitors, or a label selector').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Covers nothing')
    await expectAccessible(page, 'maintenance-refused')
  })

  test('a monthly window can be edited and shows its new times', async () => {
    const { page, dashboard, ids } = scene
    const created = await createAt(dashboard.server.client(), '/maintenance-windows', {
      name: 'Backups',
      startsAt: '2027-01-31T22:15:30.000Z',
      endsAt: '2027-01-31T23:15:30.000Z',
      recurrence: 'MONTHLY',
      monitorIds: [ids.Search],
    })
    await page.goto(dashboard.at(`/maintenance/${created.id}`))
    await page.getByRole('button', { name: 'Edit' }).click()
    // The day of its beginning is what it was to take place on.
    await page.getByRole('button', { name: 'Day 31', pressed: true }).click()
    await page.getByRole('button', { name: 'Last day' }).click()
    await page.getByRole('button', { name: 'Day 15' }).click()
    await page.getByText(/^On the 15th and last day of every month/).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    // The form says the same in words: it is saved once the form is gone.
    await page.getByRole('heading', { level: 1, name: 'Backups', exact: true }).waitFor()
    await page.getByText(/^On the 15th and last day of every month/).waitFor()
    const after = await windowNamed(scene, 'Backups')
    assert.deepEqual(after.daysOfMonth.toSorted(), [-1, 15])
    // Its seconds are not in the form, and stay.
    assert.equal(after.startsAt, '2027-01-31T22:15:30.000Z')
  })
}

/** A week with something in it. */
async function planSome({ dashboard, ids }: Scene): Promise<void> {
  const begin = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 5 * HOUR_MS
  const plan = (name: string, startsAt: number, hours: number, more: object = {}) =>
    createAt(dashboard.server.client(), '/maintenance-windows', {
      name,
      startsAt: new Date(startsAt).toISOString(),
      endsAt: new Date(startsAt + hours * HOUR_MS).toISOString(),
      monitorIds: [ids.Search],
      ...more,
    })
  await plan('Index rebuild', begin, 2, { recurrence: 'DAILY', timezone: 'America/New_York' })
  await plan('Move to the new data centre', begin + 60 * HOUR_MS, 26, { timezone: 'Europe/Berlin' })
  await plan('Certificates', begin + 120 * HOUR_MS, 1)
}

function underWay(scene: Scene): void {
  test('a running window can be extended and ended', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/maintenance/new'))
    await page.getByLabel('Name').fill('Quick fix')
    await page.getByRole('button', { name: 'In 1 hour, for 30 min' }).click()
    await page.getByRole('button', { name: 'Now, for 30 min' }).click()
    await page.getByRole('checkbox', { name: 'All monitors' }).check()
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByText('In progress').first().waitFor()
    const before = await windowNamed(scene, 'Quick fix')
    assert.equal(before.status, 'IN_PROGRESS')
    await expectAccessible(page, 'maintenance-running')
    await planSome(scene)
    await page.goto(dashboard.at('/maintenance'))
    await page.getByText('1 window in progress.').waitFor()
    await expectAccessible(page, 'maintenance-list')
    await page.getByRole('link', { name: 'Quick fix' }).last().click()

    await page.getByRole('button', { name: 'Extend' }).click()
    await page.getByRole('heading', { name: 'Extend by' }).waitFor()
    await expectAccessible(page, 'maintenance-extend')
    await page.getByRole('dialog').getByRole('button', { name: '1 hour' }).click()
    await page.getByText('Extended by 1 hour').waitFor()
    const longer = await windowNamed(scene, 'Quick fix')
    assert.equal(Date.parse(longer.endsAt) - Date.parse(before.endsAt), HOUR_MS)

    await page.getByRole('button', { name: 'End now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
    await page.getByText('Completed').waitFor()
    assert.equal((await windowNamed(scene, 'Quick fix')).status, 'COMPLETED')
    assert.equal(await page.getByRole('button', { name: 'Extend' }).count(), 0)
  })

  test('extending or ending a recurring window affects only the current occurrence', async () => {
    const { page, dashboard, ids } = scene
    const startsAt = new Date(Date.now() - 10 * MINUTE_MS).toISOString()
    const endsAt = new Date(Date.now() + 20 * MINUTE_MS).toISOString()
    const created = await createAt(dashboard.server.client(), '/maintenance-windows', {
      name: 'Nightly',
      startsAt,
      endsAt,
      recurrence: 'DAILY',
      monitorIds: [ids.Search],
    })
    await page.goto(dashboard.at(`/maintenance/${created.id}`))
    await page.getByRole('button', { name: 'Extend' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '30 minutes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nightly (extended)' }).waitFor()
    const added = await windowNamed(scene, 'Nightly (extended)')
    assert.equal(added.recurrence, 'NONE')
    assert.equal(added.startsAt, endsAt)
    assert.equal((await windowNamed(scene, 'Nightly')).endsAt, endsAt)

    await page.goto(dashboard.at(`/maintenance/${created.id}`))
    await page.getByRole('button', { name: 'End now' }).click()
    await page.getByText('Only the current occurrence ends').waitFor()
    await expectAccessible(page, 'maintenance-end')
    await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click()
    await page.getByText('Scheduled').waitFor()
    const after = await windowNamed(scene, 'Nightly')
    assert.equal(after.currentOccurrence, null)
    assert.deepEqual(after.nextOccurrence, created.nextOccurrence)
  })

  test('a viewer can see the schedule but change nothing', async () => {
    const { dashboard } = scene
    const foreign = await dashboard.open({ person: await joinAs(dashboard, 'viewer@example.com', 'VIEWER') })
    const { id } = await windowNamed(scene, 'Nightly')
    await foreign.goto(dashboard.at(`/maintenance/${id}`))
    await foreign.getByRole('heading', { level: 1, name: 'Nightly' }).waitFor()
    for (const name of ['Edit', 'Delete', 'Extend', 'End now']) {
      assert.equal(await foreign.getByRole('button', { name }).count(), 0, name)
    }
    await foreign.goto(dashboard.at('/maintenance'))
    await foreign.getByRole('link', { name: 'Nightly', exact: true }).first().waitFor()
    assert.equal(await foreign.getByRole('link', { name: 'Schedule maintenance' }).count(), 0)
  })

  test('the deletion dialog lists what is deleted; past windows are listed separately', async () => {
    const { page, dashboard } = scene
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('including all future occurrences').waitFor()
    await expectAccessible(page, 'maintenance-delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 2, name: 'Completed' }).waitFor()
    await eventually(async () => assert.equal(await windowNamed(scene, 'Nightly'), undefined))
    await page.getByRole('button', { name: 'Next week' }).click()
    await page.getByText('7 days from').waitFor()
    await page.waitForURL(/week=1/)
    await page.goto(dashboard.at('/maintenance/mw_none'))
    await page.getByText('Maintenance window not found').waitFor()
    await expectAccessible(page, 'maintenance-missing')
  })
}
