import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { openBrowser, withoutBrowser } from '../support/browser.ts'
import { startTestServer } from '../support/server.ts'
import { startSmtp } from '../support/smtp-server.ts'
import { startHttpTarget } from '../support/targets.ts'
import { addressOf } from './accounts.ts'

/** About 60 words a minute, and a moment to look before each step. */
const KEY_MS = 200
const LOOK_MS = 1_500

async function type(field: Locator, text: string): Promise<void> {
  await delay(LOOK_MS)
  await field.click()
  await field.pressSequentially(text, { delay: KEY_MS })
}

async function press(button: Locator): Promise<void> {
  await delay(LOOK_MS)
  await button.click()
}

async function firstRun(page: Page, address: string, setup: string, target: string): Promise<string> {
  await page.goto(setup)
  await type(page.getByLabel('E-mail'), 'ada@example.com')
  await type(page.getByLabel('Password', { exact: true }), 'correct horse battery')
  await type(page.getByLabel('Organization'), 'Acme')
  await press(page.getByRole('button', { name: 'Create account' }))

  await type(page.getByLabel('URL or host'), target)
  await press(page.getByRole('button', { name: 'Test', exact: true }))
  await page.getByText(/^HTTP 200 in/).waitFor()
  await press(page.getByRole('button', { name: 'Start monitoring' }))
  await page.getByRole('region', { name: 'New monitor' }).getByText('Up', { exact: true }).waitFor()
  await press(page.getByRole('button', { name: 'Publish status page' }))
  await page.getByText('Your status page is live').waitFor()
  const publicPage = await page.getByRole('link', { name: /opens in a new tab/ }).getAttribute('href')

  await press(page.getByRole('link', { name: 'Go to overview' }))
  const checklist = page.getByRole('region', { name: 'Finish setting up' })
  await press(checklist.getByRole('button', { name: 'Alert me by e-mail' }))
  await press(checklist.getByRole('button', { name: 'Send test alert' }))
  await checklist.getByText('3 of 4 done').waitFor()
  return new URL(publicPage as string, address).href
}

test('setup, monitor, status page, contact, test alert and visitor, at the speed of a person', {
  skip: withoutBrowser,
}, async (t) => {
  await using smtp = await startSmtp()
  await using target = await startHttpTarget()
  await using server = await startTestServer('sqlite', { env: mailEnv(smtp.port) })
  const browser = await openBrowser()
  const context = await browser.newContext({ locale: 'en-US' })
  try {
    const page = await context.newPage()
    const setup = addressOf(server, `/setup?token=${server.setupToken}`)
    const startedAt = performance.now()
    const publicPage = await firstRun(page, addressOf(server), setup, target.url)
    const visitor = await context.newPage()
    await visitor.goto(publicPage)
    await visitor.getByText('All systems operational').first().waitFor()
    t.diagnostic(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s of the 120 s that a newcomer should need`)
    assert.match(smtp.mails.at(-1)?.text ?? '', /test/i)
  } finally {
    await context.close()
    await browser.close()
  }
})
