import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The form of a monitor', { skip: withoutBrowser }, () => {
  const target = useHttpTarget()
  const dashboard = useDashboard()
  const url = 'URL or host'
  const wrong = 'Must be an http:// or https:// address'

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

  test('an error goes when the value or the type is corrected', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    const address = page.getByLabel(url, { exact: true })
    const submit = page.getByRole('button', { name: 'Create monitor' })
    await address.fill('ftp://shop.test/')
    await page.getByLabel('Name', { exact: true }).fill('Wrong')
    await submit.click()
    await page.getByText(wrong).first().waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Another name')
    assert.equal(await address.getAttribute('aria-invalid'), 'true', 'another field keeps the error')
    assert.equal(await page.locator(':focus').inputValue(), 'Another name', 'the focus stays')
    await address.fill('ftp://shop.test')
    assert.equal(await page.getByText(wrong).count(), 0)
    await submit.click()
    await page.getByText(wrong).first().waitFor()
    await page.getByRole('radio', { name: 'Ping' }).check()
    await page.getByRole('radio', { name: 'HTTP' }).check()
    assert.equal(await page.getByText(wrong).count(), 0)
  })

  test('the result of a test is marked as outdated when the settings change, but not with the name', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByLabel(url, { exact: true }).fill(target.url)
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText(/HTTP 200 in/).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Renamed')
    assert.equal(await page.getByText(/^Outdated/).count(), 0)
    await page.getByLabel(url, { exact: true }).fill(`${target.url}other`)
    await page.getByText('Outdated: the settings changed since this test.').waitFor()
  })

  test('a result for an address that was changed meanwhile is discarded', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/welcome'))
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/monitors/try', async (route) => {
      await held
      await route.continue()
    })
    await page.getByLabel('URL or host').fill(target.url)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByLabel('URL or host').fill('other.test')
    const answered = page.waitForResponse('**/monitors/try')
    release()
    await answered
    await page.locator('button:enabled', { hasText: 'Test' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Start monitoring' }).count(), 0)
  })

  test('a keyword with the method HEAD is warned about, and certificates warn 14 days before', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByRole('radio', { name: 'Keyword' }).check()
    await page.getByText('Advanced', { exact: true }).click()
    assert.equal(await page.getByLabel('Warn before expiry (days)').inputValue(), '14')
    await page.getByText('14 days by default').waitFor()
    await page.getByLabel('Method').selectOption('HEAD')
    await page.getByText('A HEAD response has no body').waitFor()
    await page.getByText('returns no body to search').waitFor()
    await expectAccessible(page, 'monitor-form-head')
  })
})
