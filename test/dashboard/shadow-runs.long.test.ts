import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { importFromKuma, polled, startKuma } from '../shadow-runs/support.ts'
import { HandClock } from '../support/clock.ts'
import { startHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('shadow runs', { skip: withoutBrowser }, () => {
  const clock = new HandClock()
  const dashboard = useDashboard({ clock, env: { PHAROS_ROLES: 'api,scheduler' } })

  test('a run is started, shows a wrong key, disagreements with their evidence, and enables the contacts', async () => {
    await using target = await startHttpTarget()
    await using kuma = await startKuma({ Shop: 1, API: 1, Printer: 1 })
    const client = dashboard.server.client()
    const ids = await importFromKuma(client, ['Shop', 'API'], target.url)
    const check = (name: string) => client.post(`/monitors/${ids.get(name)}/check`, {})
    await Promise.all([check('Shop'), check('API')])
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/shadow-run'))
    await page.getByText('No shadow run yet').waitFor()
    await expectAccessible(page, 'shadow-run-empty')
    await page.getByRole('button', { name: 'Start shadow run' }).click()
    await page.getByLabel('URL').fill(kuma.url)
    await page.getByLabel('Key').fill('wrong')
    await expectAccessible(page, 'shadow-run-start')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('No verdicts from Uptime Kuma: Uptime Kuma does not accept the key.').waitFor()
    await expectAccessible(page, 'shadow-run-refused')
    kuma.key = 'wrong'
    const { body } = await client.get('/shadow-runs')
    let { lastPollAt } = body.data[0]
    const next = async (ms: number) => {
      clock.advance(ms)
      ;({ lastPollAt } = await polled(client, body.data[0].id, lastPollAt))
    }
    await next(30_000)
    await page.getByText('Running', { exact: true }).waitFor()
    kuma.states.set('Shop', 0)
    target.status = 500
    await check('API')
    await next(30_000)
    kuma.states.set('Shop', 1)
    for (let i = 0; i < 4; i += 1) await next(100_000)
    await page.getByText('One failed check there').waitFor()
    await page.getByText('We saw: HTTP 500 Internal Server Error').waitFor()
    await page.getByText('Only in Uptime Kuma: 1 monitor').click()
    await page.getByText('Printer').waitFor()
    await expectAccessible(page, 'shadow-run')
    await page.getByRole('button', { name: 'End and enable contacts…' }).click()
    await expectAccessible(page, 'shadow-run-finish')
    await page.getByRole('button', { name: 'Enable contacts', exact: true }).click()
    await page.getByText('1 contact enabled').waitFor()
    await page.getByText('Ended', { exact: true }).first().waitFor()
    assert.equal((await client.get('/contacts')).body.data[0].enabled, true)
    await page.getByRole('link', { name: 'Incident with evidence' }).click()
    await page.getByRole('heading', { name: /API/ }).waitFor()
  })
})
