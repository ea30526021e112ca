import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt, got } from './publishing.ts'

describe('Options of a monitor', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_CONFIRM_DELAYS: '0' } })

  test('are entered under Advanced, shown on its page, and copied with it', async () => {
    const client = dashboard.server.client()
    const job = await createAt(client, '/monitors', { name: 'Backup', type: 'CRON' })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${job.id}/edit`))
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByLabel('Cron expression').fill('61 3 * * *')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByLabel('Successes until recovered').fill('2')
    await page.getByLabel('Runbook URL').fill('https://wiki.example/backup')
    await page.getByLabel('Text', { exact: true }).fill('Call Ada\n<b>first</b>')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/Invalid value for minute: 61/).waitFor()
    await page.getByLabel('Cron expression').fill('30 3 * * MON-FRI')
    await expectAccessible(page, 'monitor-options-form')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('link', { name: 'Open runbook' }).waitFor()
    assert.equal(
      await page.getByRole('link', { name: 'Open runbook' }).getAttribute('href'),
      'https://wiki.example/backup',
    )
    await page.getByText('<b>first</b>').waitFor()
    await page.getByText('30 3 * * MON-FRI (Europe/Berlin), 1 min grace').waitFor()
    await expectAccessible(page, 'monitor-notes')

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Second backup')
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByText(/^Next runs: /).waitFor()
    await page.getByLabel('Runbook URL').fill('')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('Call Ada').waitFor()
    const { data } = await got(client, '/monitors')
    const copy = data.find(({ name }: { name: string }) => name === 'Second backup')
    const { nextRuns: _runs, ...schedule } = await got(client, `/monitors/${copy.id}/schedule`)
    assert.deepEqual(schedule, { cron: '30 3 * * MON-FRI', timezone: 'Europe/Berlin' })
    assert.equal((await got(client, `/monitors/${copy.id}/confirmation`)).recoverySuccesses, 2)
    assert.deepEqual(await got(client, `/monitors/${copy.id}/notes`), { text: 'Call Ada\n<b>first</b>' })

    await page.goto(dashboard.at(`/monitors/${copy.id}/edit`))
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByLabel('Cron expression').fill('')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/Every .* grace/).waitFor()
  })

  test('of a new monitor that are refused do not create a second one', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByLabel(/^Cron/).first().check()
    await page.getByLabel('Name', { exact: true }).fill('Only once')
    await page.getByText('Advanced', { exact: true }).click()
    await page.getByLabel('Cron expression').fill('nonsense')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText(/must have five fields/i).waitFor()
    await page.getByLabel('Cron expression').fill('@daily')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByRole('heading', { name: 'Only once' }).waitFor()
    const { data } = await got(client, '/monitors')
    assert.equal(data.filter(({ name }: { name: string }) => name === 'Only once').length, 1)
  })
})
