import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

type ColorScheme = 'light' | 'dark'

const [axe, checks] = ['axe-core/axe.min.js', './page-checks.js'].map((file) =>
  readFileSync(fileURLToPath(import.meta.resolve(file)), 'utf8'),
)
/** axe is compiled when a page is checked; many pages are not. */
const checker = `if (window === window.top) globalThis.loadChecker ??= () => { ${axe}\n${checks} }`

/** A light page is checked for everything, a dark one for what depends on colors. */
const rules: Readonly<Record<ColorScheme, readonly string[]>> = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
}

/** Nothing scrolls sideways at this width. */
export async function expectFits(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  const widest = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (widest <= width) return
  const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > ${width})
    .map((element) => element.outerHTML.slice(0, 300))`)
  assert.fail(`${name} is ${widest} px wide at ${width} px: ${outside.slice(-5).join(' ')}`)
}

/** No violation that axe finds on the page as it is. */
export async function expectNoViolations(page: Page, name: string, colorScheme: ColorScheme = 'light'): Promise<void> {
  await prepareChecks(page)
  const asked = JSON.stringify({ rules: rules[colorScheme], isColors: colorScheme === 'dark' })
  const violations = await page.evaluate<string[]>(`globalThis.checkPage ?? loadChecker(), checkPage(${asked})`)
  assert.deepEqual(violations, [], `${name} in ${colorScheme}, ${page.viewportSize()?.width} px`)
}

const prepared = new WeakSet<Page>()

/** Gives the browser the checker once per window: sending it with every check would cost as much as the check. */
export async function prepareChecks(page: Page): Promise<void> {
  if (prepared.has(page)) return
  prepared.add(page)
  await page.addInitScript(checker)
  await page.evaluate(checker)
}
