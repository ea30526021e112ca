import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { expectFits, expectNoViolations } from './accessibility.ts'
import { useBrowser, withoutBrowser } from './browser.ts'

const PHONE_PX = 390
const DESKTOP_PX = 1280

/** A page without faults. `more` is added to its main part, `styles` to its style sheet. */
const pageWith = (more = '', styles = ''): string => `<!doctype html>
  <html lang="en">
    <head>
      <title>Page</title>
      <meta name="viewport" content="width=device-width">
      <style>
        body { background: #fff; color: #222; margin: 0 }
        button { min-width: 44px; min-height: 44px }
        .card { background: #eee; padding: 8px }
        .pale { color: #999 }
        @media (prefers-color-scheme: dark) {
          body { background: #111; color: #eee }
          .card { background: #222 }
          button { background: #000; color: #fff }
        }
        ${styles}
      </style>
    </head>
    <body><main><h1>Heading</h1><p>Text</p><div class="card"><p>Text on a card</p></div>${more}</main></body>
  </html>`

interface Fault {
  readonly more?: string
  readonly styles?: string
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly rule: string
}

const faults: Readonly<Record<string, Fault>> = {
  'text that is too pale': { more: '<p class="pale">Pale</p>', rule: 'color-contrast' },
  'text that is too pale in the dark alone': {
    more: '<p class="night">Night</p>',
    styles: '@media (prefers-color-scheme: dark) { .night { color: #444 } }',
    colorScheme: 'dark',
    rule: 'color-contrast',
  },
  'text that is too pale on a phone alone': {
    more: '<p class="small">Small</p>',
    styles: '@media (max-width: 500px) { .small { color: #999 } }',
    width: PHONE_PX,
    rule: 'color-contrast',
  },
  'dark text on a dark background': {
    more: '<div style="background: #555"><p>Text</p></div>',
    rule: 'color-contrast',
  },
  'text in a card that is half transparent': {
    more: '<div style="opacity: 0.5"><p>Text</p></div>',
    rule: 'color-contrast',
  },
  'text on a half transparent background': {
    more: '<div style="background: #555"><div style="background: rgb(255 255 255 / 20%)"><p>Text</p></div></div>',
    rule: 'color-contrast',
  },
  'text in front of something that is not an ancestor': {
    more: `<div style="position: relative; height: 60px">
      <div style="position: absolute; inset: 0; background: #555"></div>
      <p style="position: absolute; top: 10px; left: 10px; margin: 0">Text</p>
    </div>`,
    rule: 'color-contrast',
  },
  'text beside the card that it belongs to': {
    more: `<div style="background: #333; height: 200px">
      <div class="card" style="width: 20px; height: 20px"><p style="margin: 60px 0 0 60px; width: 100px">Text</p></div>
    </div>`,
    rule: 'color-contrast',
  },
  'text of a fixed bar without a background': {
    more: `<div style="background: #555; height: 300px"></div>
      <div style="position: fixed; top: 200px; left: 20px"><p>Text</p></div>`,
    rule: 'color-contrast',
  },
  'a link that only its color tells from the text': {
    more: '<p>Text around <a href="#x" style="text-decoration: none; color: #333">a link</a> in it</p>',
    rule: 'link-in-text-block',
  },
  'a target that is too small on a phone alone': {
    more: '<nav aria-label="Small"><a class="dot" href="#a">a</a><a class="dot" href="#b">b</a></nav>',
    styles: `.dot { display: inline-block; min-width: 44px; min-height: 44px }
      @media (max-width: 500px) { .dot { min-width: 0; min-height: 0; font-size: 12px; line-height: 12px } }`,
    width: PHONE_PX,
    rule: 'target-size',
  },
  'a target that another one covers': {
    more: `<div style="position: relative"><button>One</button>
      <button style="position: absolute; left: 10px; top: 0">Two</button></div>`,
    rule: 'target-size',
  },
  'small targets that are close to each other': {
    more: `<a href="#a" style="display: block; font-size: 12px; line-height: 12px">One</a>
      <a href="#b" style="display: block; font-size: 12px; line-height: 12px">Two</a>`,
    rule: 'target-size',
  },
  'a button that loses its name on a desktop alone': {
    more: '<button><span class="word">Save</span></button>',
    styles: '@media (min-width: 501px) { .word { display: none } }',
    width: DESKTOP_PX,
    rule: 'button-name',
  },
  'a field without a label': { more: '<input>', rule: 'label' },
  'a field without a label that appears on a desktop alone': {
    more: '<div class="wide"><input></div>',
    styles: '.wide { display: none } @media (min-width: 501px) { .wide { display: block } }',
    width: DESKTOP_PX,
    rule: 'label',
  },
  'headings out of order': { more: '<h4>Fourth</h4>', rule: 'heading-order' },
}

describe('the accessibility check', { skip: withoutBrowser }, () => {
  const started = useBrowser()
  let page: Page
  before(async () => {
    page = await started.browser.newPage()
    await page.goto('about:blank')
  })
  after(() => page?.close())

  async function check(html: string, { colorScheme = 'light', width = DESKTOP_PX }: Partial<Fault>): Promise<void> {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.setContent(html)
    await expectNoViolations(page, 'page', colorScheme)
  }

  const everywhere = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [PHONE_PX, DESKTOP_PX].map((width) => ({ colorScheme, width })),
  )

  test('accepts a page without faults', async () => {
    for (const where of everywhere) await check(pageWith('<button>Save</button>'), where)
  })

  for (const [name, fault] of Object.entries(faults)) {
    test(`finds ${name}`, async () => {
      await assert.rejects(check(pageWith(fault.more, fault.styles), fault), new RegExp(`'${fault.rule}: `))
      const elsewhere = everywhere.filter(({ colorScheme, width }) => {
        return fault.colorScheme ? colorScheme !== fault.colorScheme : fault.width ? width !== fault.width : false
      })
      for (const where of elsewhere) {
        if (fault.width !== undefined && where.colorScheme === 'dark') continue
        await check(pageWith(fault.more, fault.styles), where)
      }
    })
  }

  test('finds text that was exempt while it was disabled', async () => {
    const button = (state: string) => pageWith(`<button ${state} style="color: #999">Save</button>`)
    await check(button('disabled'), {})
    await assert.rejects(check(button(''), {}), /'color-contrast: /)
  })

  test('finds what is wider than the window', async () => {
    await page.setContent(pageWith('<div style="width: 380px">Wide</div>'))
    await expectFits(page, 'page', PHONE_PX)
    await assert.rejects(expectFits(page, 'page', 360), /page is 380 px wide at 360 px/)
  })
})
