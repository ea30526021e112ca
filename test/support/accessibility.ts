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

/** Combinations of colors that passed, and elements that axe did not judge, on any page that this process has checked. */
const known = { passed: new Set<string>(), examined: new Set<string>() }
/** Of each. Every check sends them to the page; the oldest are forgotten, and checked again. */
const MAX_KNOWN = 2_000

function remember(known: Set<string>, found: readonly string[]): void {
  for (const one of found) known.add(one)
  for (const oldest of known) if (known.size > MAX_KNOWN) known.delete(oldest)
}

interface Findings {
  readonly violations: readonly string[]
  readonly passed: readonly string[]
  readonly examined: readonly string[]
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
  await prepare(page)
  const already = { passed: [...known.passed], examined: [...known.examined] }
  const asked = JSON.stringify({ rules: rules[colorScheme], isColors: colorScheme === 'dark', ...already })
  const found = await page.evaluate<Findings>(`globalThis.checkPage ?? loadChecker(), checkPage(${asked})`)
  assert.deepEqual(found.violations, [], `${name} in ${colorScheme}, ${page.viewportSize()?.width} px`)
  remember(known.passed, found.passed)
  remember(known.examined, found.examined)
}

const prepared = new WeakSet<Page>()

/** Gives the browser the checker once per window: sending it with every check would cost as much as the check. */
async function prepare(page: Page): Promise<void> {
  if (prepared.has(page)) return
  prepared.add(page)
  await page.addInitScript(checker)
  await page.evaluate(checker)
}
