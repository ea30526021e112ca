import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** Every page that is checked loads it, so the minified file saves time. */
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** A light page is checked for everything, a dark one for what depends on colors. */
const rules = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
} as const

/** Nothing scrolls sideways at this width. */
export async function expectFits(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  const widest = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(widest <= width, `${name} is ${widest} px wide at ${width} px`)
}

/** No violation that axe finds on the page as it is. */
export async function expectNoViolations(
  page: Page,
  name: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  const options = JSON.stringify({ runOnly: rules[colorScheme], resultTypes: ['violations'] })
  // Which controls a bar that sticks to the edge covers in part depends on the scroll position alone.
  const violations = await page.evaluate<string[]>(`(async () => {
    const before = document.adoptedStyleSheets
    const unstuck = new CSSStyleSheet()
    unstuck.replaceSync('.sticky { position: static !important }')
    document.adoptedStyleSheets = [...before, unstuck]
    const { violations } = await axe.run(document, ${options}).finally(() => { document.adoptedStyleSheets = before })
    // Reduced in the page: the full result is a hundred times as long.
    return violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' '))
  })()`)
  assert.deepEqual(violations, [], `${name} in ${colorScheme}, ${page.viewportSize()?.width} px`)
}
