import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The form of a new monitor', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('begins with one address, guesses the type, and fills in headers for authentication', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByLabel('URL or host').fill('db.test:5432')
    await page.getByRole('radio', { name: 'Port', checked: true }).waitFor()
    assert.equal(await page.getByLabel('Host', { exact: true }).count(), 0, 'the address is asked for once')
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'db.test')
    assert.equal(await page.getByLabel('Check interval', { exact: true }).inputValue(), '1')
    await page.getByLabel('URL or host').fill('https://shop.test/health')
    assert.equal(await page.getByLabel('URL', { exact: true }).count(), 0)
    await page.getByRole('radio', { name: 'HTTP', checked: true }).waitFor()
    await page.getByText('Advanced', { exact: true }).click()
    await expectAccessible(page, 'form-advanced')
    // A type that was chosen has its own fields, with what was typed.
    await page.getByRole('radio', { name: 'Ping' }).check()
    assert.equal(await page.getByLabel('Host', { exact: true }).inputValue(), 'shop.test')
    assert.equal(await page.getByLabel('URL or host').count(), 0)
  })
})
