import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Assertions in the form of a monitor', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_CONFIRM_DELAYS: '' } })
  const target = useHttpTarget()
  let page: Page
  before(async () => {
    target.body = JSON.stringify({
      db: { status: 'degraded', 'lag ms': 12.5 },
      replicas: [
        { name: 'a', ready: true },
        { name: 'b', ready: true },
      ],
      version: '42',
    })
    page = await dashboard.open()
  })

  const stored = async (id: string) =>
    (await dashboard.server.client().get(`/monitors/${id}/assertions`)).body.assertions

  test('a value of the response becomes an assertion, a test shows what was found, and saving keeps it', async () => {
    await page.goto(dashboard.at('/monitors/new?type=HTTP'))
    await page.getByLabel('URL', { exact: true }).fill(target.url)
    await page.getByText('Assertions', { exact: true }).click()
    await page.getByRole('button', { name: 'Test assertions' }).click()
    await page.getByRole('button', { name: 'Assert $.db.status, which is "degraded"' }).click()
    await page.getByRole('button', { name: 'Assert $.db["lag ms"], which is 12.5' }).click()
    await page.getByRole('button', { name: 'Assert $.version, which is "42"' }).click()
    assert.equal(await page.getByLabel('Value of assertion 3').inputValue(), '"42"')
    await page.getByLabel('Value of assertion 1').fill('ok')
    await page.getByLabel('Otherwise').first().selectOption('Degraded')
    await page.getByRole('button', { name: 'Add assertion' }).click()
    await page.getByLabel('Source of assertion 4').selectOption('Header')
    await page.getByLabel('Header of assertion 4').fill('content-type')
    await page.getByLabel('Operator of assertion 4').selectOption('does not exist')
    await page.getByRole('button', { name: 'Test assertions' }).click()
    await page.getByText('Found "degraded"').waitFor()
    await page.getByText('Found 12.5').waitFor()
    await page.getByText('$.db.status is "degraded", expected "ok"').waitFor()
    await expectAccessible(page, 'form-assertions')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.waitForURL(/\/monitors\/mon_\w+$/)
    const id = page.url().split('/').at(-1) as string
    assert.deepEqual(await stored(id), [
      { source: 'JSON', path: '$.db.status', operator: 'EQUALS', value: 'ok', severity: 'DEGRADED' },
      { source: 'JSON', path: '$.db["lag ms"]', operator: 'EQUALS', value: 12.5, severity: 'DOWN' },
      { source: 'JSON', path: '$.version', operator: 'EQUALS', value: '42', severity: 'DOWN' },
      { source: 'HEADER', path: 'content-type', operator: 'NOT_EXISTS', severity: 'DOWN' },
    ])
    await dashboard.server.client().post(`/monitors/${id}/check`, {})
    // The reason of the state, and the check log.
    await page.getByText('$.db.status is "degraded", expected "ok"').nth(1).waitFor()
    await expectAccessible(page, 'monitor-assertions')

    await page.goto(dashboard.at(`/monitors/${id}/edit`))
    assert.equal(await page.getByLabel('Value of assertion 1').inputValue(), 'ok')
    await page.getByLabel('JSONPath of assertion 1').fill('$.db[')
    await page.getByRole('button', { name: 'Test assertions' }).click()
    await page.getByText('Is not valid at character 6: unclosed bracketed selection').waitFor()
    await page.getByLabel('JSONPath of assertion 1').fill('$.db[[')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByText(/not valid at character 6: /)
      .first()
      .waitFor()
    await expectAccessible(page, 'form-assertions-fault')
    await page.getByLabel('JSONPath of assertion 1').fill('$.db.status')
    await page.getByRole('button', { name: 'Remove' }).last().click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/\/monitors\/mon_\w+$/)
    assert.equal((await stored(id)).length, 3)
  })
})
