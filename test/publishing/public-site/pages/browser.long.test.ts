import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { expectNoViolations } from '../../../support/accessibility.ts'
import { useBrowser, withoutBrowser } from '../../../support/browser.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { createPage } from '../fixtures.ts'
import { createFullPage, type FullPage } from '../full-page.ts'

/** A server with a full page, and a browser. */
function useFullPage() {
  const started = useBrowser()
  let server: TestServer | undefined
  let fullPage: FullPage | undefined
  /** A new window takes longer than most of the checks in it. */
  let window: Page | undefined
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
    fullPage = await createFullPage(server, Date.now())
    await createPage(server.client(), [], { slug: 'private', visibility: 'PASSWORD', password: 'correct horse' })
    await createPage(server.client(), [], { slug: 'empty', accentColor: '#ffee00' })
  })
  after(async () => {
    await window?.close()
    await server?.stop()
  })
  return {
    server: () => server as TestServer,
    fullPage: () => fullPage as FullPage,
    browser: () => started.browser,
    async visit<T>(path: string, scheme: 'light' | 'dark', visited: (page: Page) => Promise<T>): Promise<T> {
      window ??= await started.browser.newPage()
      await window.emulateMedia({ colorScheme: scheme, media: null })
      await window.setViewportSize({ width: 1280, height: 800 })
      await window.goto(`${server?.url}/status/${path}`)
      return await visited(window)
    },
  }
}

describe('the times of a page', { skip: withoutBrowser }, () => {
  const { server, fullPage, browser } = useFullPage()

  test('switch to the time zone of the visitor, who is remembered', async () => {
    const context = await browser().newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-US' })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    const path = `${server().url}/status/${fullPage().page.slug}/incidents/${fullPage().incidentId}`
    await page.goto(path)
    const shown = page.locator('time').first()
    const at = new Date((await shown.getAttribute('datetime')) ?? '')
    const before = await shown.innerText()
    await page.getByRole('button', { name: 'Show my local time' }).click()
    const local = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', hour: 'numeric', minute: '2-digit' })
    assert.notEqual(await shown.innerText(), before)
    assert.ok((await shown.innerText()).includes(local.format(at)), await shown.innerText())
    await page.getByText('Times in Asia/Tokyo').waitFor()
    await page.reload()
    await page.getByText('Times in Asia/Tokyo').waitFor()
    await page.locator('#local-time').click()
    assert.equal(await shown.innerText(), before)
    assert.deepEqual(problems, [])
    await page.getByRole('link', { name: /^Back to / }).click()
    await page.waitForURL(/\/status\/[^/]+\/?$/)
    await context.close()
  })
})

describe('all pages in a browser', { skip: withoutBrowser }, () => {
  const { fullPage, visit } = useFullPage()
  const kinds: Readonly<Record<string, () => string>> = {
    'the page itself': () => fullPage().page.slug,
    'a page without anything on it': () => 'empty',
    'the history': () => `${fullPage().page.slug}/history`,
    'an incident': () => `${fullPage().page.slug}/incidents/${fullPage().incidentId}`,
    'a resolved incident with a postmortem': () => `${fullPage().page.slug}/incidents/${fullPage().pastIncidentId}`,
    'a monitor': () => `${fullPage().page.slug}/monitors/${fullPage().monitorId}`,
    'a day': () => `${fullPage().page.slug}/days/${new Date().toISOString().slice(0, 10)}`,
    'the ways to subscribe': () => `${fullPage().page.slug}/subscribe`,
    'an unknown address of a page': () => `${fullPage().page.slug}/nothing`,
    'a form for the password': () => 'private',
    'a page that is not there': () => 'never-was',
  }

  for (const [kind, path] of Object.entries(kinds)) {
    for (const scheme of ['light', 'dark'] as const) {
      test(`${kind} passes axe in ${scheme}, narrow and wide`, async () => {
        await visit(path(), scheme, async (page) => {
          for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 800 })
            await expectNoViolations(page, kind, scheme)
          }
        })
      })
    }

    test(`${kind} does not scroll sideways, and its links are large enough to tap`, async () => {
      await visit(path(), 'light', async (page) => {
        for (const width of [320, 360, 390, 768, 1280, 1920, 2560]) {
          await page.setViewportSize({ width, height: 800 })
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width)
          const small = await page.evaluate<string[]>(`[...document.querySelectorAll('a, button, input, summary')]
            .filter((element) => !element.closest('.prose, .skip') && element.checkVisibility() && element.getBoundingClientRect().height < 44)
            .map((element) => element.outerHTML)`)
          assert.deepEqual(small, [], `${width} px`)
        }
      })
    })
  }
})

describe('a status page in a browser', { skip: withoutBrowser }, () => {
  const { browser, server, fullPage, visit } = useFullPage()

  test('everything is reachable by keyboard in order, with visible focus', async () => {
    await visit(fullPage().page.slug, 'light', async (page) => {
      const count = await page.evaluate<number>("document.querySelectorAll('a[href]:not([tabindex]), summary').length")
      const seen = new Set<string>()
      for (let i = 0; i < count; i += 1) {
        await page.keyboard.press('Tab')
        const focus = await page.evaluate<{ html: string; outline: string; top: number }>(`({
          html: document.activeElement.outerHTML,
          outline: getComputedStyle(document.activeElement).outlineStyle,
          top: document.activeElement.getBoundingClientRect().top })`)
        assert.equal(focus.outline, 'solid', focus.html)
        if (i === 0) assert.ok(focus.html.includes('#content') && focus.top >= 0, 'the way past the head comes first')
        seen.add(focus.html)
      }
      assert.equal(seen.size, count)
    })
  })

  test('landmarks and headings are in order', async () => {
    await visit(fullPage().page.slug, 'light', async (page) => {
      const marks = await page.evaluate<string[]>(
        "[...document.querySelectorAll('body > :is(header, main, footer)')].map((e) => e.tagName)",
      )
      assert.deepEqual(marks, ['HEADER', 'MAIN', 'FOOTER'])
      const levels = await page.evaluate<number[]>(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((e) => +e.tagName[1])",
      )
      assert.equal(levels.filter((level) => level === 1).length, 1)
      levels.reduce((last, level) => {
        assert.ok(level <= last + 1, levels.join(' '))
        return level
      }, 0)
    })
  })

  test('the theme of a page overrides the preference of the system', async () => {
    const ground = (scheme: 'light' | 'dark', slug: string) =>
      visit(slug, scheme, (page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
    const [light, dark] = [await ground('light', fullPage().page.slug), await ground('dark', fullPage().page.slug)]
    assert.notEqual(light, dark)
    await createPage(server().client(), [], { slug: 'always-dark', theme: 'DARK' })
    await createPage(server().client(), [], { slug: 'always-light', theme: 'LIGHT' })
    assert.deepEqual([await ground('light', 'always-dark'), await ground('dark', 'always-dark')], [dark, dark])
    assert.deepEqual([await ground('light', 'always-light'), await ground('dark', 'always-light')], [light, light])
  })

  test('the password form works without scripts and reports errors', async () => {
    const page = await browser().newPage({ javaScriptEnabled: false })
    await page.goto(`${server().url}/status/private`)
    await page.fill('input', 'wrong horse')
    await page.click('button')
    assert.match(await page.content(), /Wrong password/)
    await page.fill('input', 'correct horse')
    await page.click('button')
    assert.match(await page.content(), /<h1><bdi>Acme<\/bdi><\/h1>/)
    await page.reload()
    assert.match(await page.content(), /<h1><bdi>Acme<\/bdi><\/h1>/)
    await page.close()
  })

  test('printed without navigation and with all bars', async () => {
    await visit(fullPage().page.slug, 'dark', async (page) => {
      await page.emulateMedia({ media: 'print' })
      const displays = await page.evaluate<string[]>(
        "['footer nav', '.more', '.strip', 'footer p'].map((s) => getComputedStyle(document.querySelector(s)).display)",
      )
      assert.deepEqual(displays, ['none', 'none', 'block', 'block'])
      assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)')
    })
  })
})

describe('bars and sections in a browser', { skip: withoutBrowser }, () => {
  const { browser, server, fullPage, visit } = useFullPage()

  test('a bar shows its day on hover and leads to the page of the day, without scripts', async () => {
    const page = await browser().newPage({ javaScriptEnabled: false, viewport: { width: 1280, height: 800 } })
    await page.goto(`${server().url}/status/${fullPage().page.slug}`)
    const bar = page.locator('.days .down').first()
    const [, date] = /days\/([\d-]+)$/.exec((await bar.getAttribute('href')) ?? '') ?? []
    await bar.hover()
    assert.match((await bar.getAttribute('data-t')) ?? '', /: Down, /)
    await bar.click()
    assert.ok(page.url().endsWith(`/days/${date}`))
    assert.match(await page.content(), /<td data-label="Status"><span class="state down">/)
    await page.close()
  })

  test('tooltips of the first and the last day stay within the page', async () => {
    await visit(fullPage().page.slug, 'light', async (page) => {
      for (const width of [360, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        for (const bar of [
          page.locator('.days').first().locator('a:visible').first(),
          page.locator('.days a').last(),
        ]) {
          await bar.hover()
          const box = await page.evaluate<{ left: number; right: number; from: string; tip: number }>(`(() => {
            const bar = document.querySelector('.days a:hover')
            const { left, right } = bar.getBoundingClientRect()
            const tip = getComputedStyle(bar, '::after')
            return { left, right, from: tip.left, tip: Number.parseFloat(tip.width) }
          })()`)
          const start = box.from === '0px' ? box.left : box.right - box.tip
          assert.ok(start >= 0 && start + box.tip <= width, `${width}: ${JSON.stringify(box)}`)
        }
      }
    })
  })

  test('phones show the last 45 days, wider screens all, each with its own caption', async () => {
    await visit(fullPage().page.slug, 'light', async (page) => {
      for (const [width, days, text] of [
        [390, 45, 'Last 45 days'],
        [768, 90, 'Last 90 days'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(await page.locator('.days').first().locator('a:visible').count(), days)
        assert.match(await page.locator('.caption:visible').first().innerText(), new RegExp(text))
      }
    })
  })

  test('a section closes and opens without scripts', async () => {
    const page = await browser().newPage({ javaScriptEnabled: false })
    await page.goto(`${server().url}/status/${fullPage().page.slug}`)
    const row = page.locator('.monitors').first()
    assert.ok(await row.isVisible())
    await page.locator('summary').first().click()
    assert.ok(!(await row.isVisible()))
    await page.close()
  })
})
