import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { publishIncident } from '../../publishing/public-site/fixtures.ts'
import { expectFits, expectNoViolations } from '../../support/accessibility.ts'
import { useBrowser, withoutBrowser } from '../../support/browser.ts'
import { eventually } from '../../support/eventually.ts'
import { at, linkIn, type MailingTest, newMailingTest, textOf } from './mailing.ts'

async function expectNoFaults(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  for (const width of [390, 1280]) {
    await expectFits(page, page.url(), width)
    await expectNoViolations(page, page.url(), colorScheme)
    const small = await page.evaluate<string[]>(`[...document.querySelectorAll('a, button, input')]
      .filter((element) => !element.closest('.prose, .skip, [hidden]') && element.getBoundingClientRect().height < 44)
      .map((element) => element.outerHTML)`)
    assert.deepEqual(small, [])
  }
}

describe('subscribing in a browser', { skip: withoutBrowser }, () => {
  const started = useBrowser()
  let stage: MailingTest
  before(async () => {
    stage = await newMailingTest('sqlite')
  })
  after(() => stage[Symbol.asyncDispose]())

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`subscribing and unsubscribing works by keyboard and has no accessibility fault in ${colorScheme}`, async () => {
      const address = `ann-${colorScheme}@example.com`
      const status = await stage.page({ slug: `page-${colorScheme}`, accentColor: '#ffee00' })
      const page = await started.browser.newPage({ colorScheme })
      await page.goto(`${stage.server.url}/status/${status.slug}/subscribe`)
      await expectNoFaults(page, colorScheme)
      await page.evaluate("document.querySelector('form').noValidate = true")
      await page.focus('input[type=email]')
      await page.keyboard.type('ann@')
      await page.keyboard.press('Enter')
      await page.waitForSelector('[role=alert]')
      await expectNoFaults(page, colorScheme)
      await page.fill('input[type=email]', address)
      await page.keyboard.press('Enter')
      await page.waitForSelector('text=Check your inbox')
      await expectNoFaults(page, colorScheme)
      const asked = await eventually(async () => {
        const [mail] = stage.mailsTo(address)
        assert.ok(mail)
        return mail
      })
      await page.goto(at(stage.server, linkIn(textOf(asked), 'confirm')))
      await expectNoFaults(page, colorScheme)
      await page.click('button')
      await expectNoFaults(page, colorScheme)
      assert.match(await page.content(), /You're subscribed/)
      await publishIncident(stage.client, status.id)
      const notice = await eventually(async () => {
        const [, mail] = stage.mailsTo(address)
        assert.ok(mail)
        return mail
      })
      // In a page of its own: the content security policy of status pages would disable the inline styles of the e-mail.
      const reader = await started.browser.newPage({ colorScheme })
      await reader.setContent(notice.html)
      const { violations } = await reader.evaluate<axe.AxeResults>(`${axe.source}; axe.run(document)`)
      await reader.close()
      // An e-mail is not a page: it has no title, no landmarks and no skip link.
      const faults = violations
        .map(({ id }) => id)
        .filter((id) => !/^(region|landmark-one-main|document-title)$/.test(id))
      assert.deepEqual(faults, [])
      await page.goto(at(stage.server, linkIn(textOf(notice), 'unsubscribe')))
      await expectNoFaults(page, colorScheme)
      await page.click('button')
      assert.match(await page.content(), /You're unsubscribed/)
      await expectNoFaults(page, colorScheme)
      await page.close()
    })
  }

  test('the form works without a script', async () => {
    const status = await stage.page({ slug: 'no-script' })
    const page = await started.browser.newPage({ javaScriptEnabled: false })
    await page.goto(`${stage.server.url}/status/${status.slug}/subscribe`)
    await page.fill('input[type=email]', 'bob@example.com')
    await page.click('button')
    assert.match(await page.content(), /If this address can subscribe/)
    await page.close()
  })

  test('the text of a badge fits into it in every font', async () => {
    const status = await stage.page({ slug: 'badge', name: 'Wide WWW, narrow iii, 日本語' })
    const page = await started.browser.newPage()
    await page.goto(`${stage.server.url}/status/${status.slug}/badge.svg`)
    const boxes = await page.evaluate<{ end: number; bound: number }[]>(`(() => {
      const rects = [...document.querySelectorAll('g rect')].map((rect) => rect.getBBox())
      return [...document.querySelectorAll('text')].map((text, i) => {
        const box = text.getBBox()
        return { end: box.x + box.width, bound: rects[i].x + rects[i].width }
      })
    })()`)
    assert.equal(boxes.length, 2)
    for (const { end, bound } of boxes) assert.ok(end < bound - 2, `${end} of ${bound}`)
    await page.close()
  })
})
