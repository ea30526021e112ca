// Runs in the page that is checked, next to axe. accessibility.ts loads it as text.

/**
 * Runs axe on the page as it is: the rules with one of these tags, and the rules about colors. Contrast takes axe longer than all
 * other rules together, so it is asked only about combinations of colors that have not passed before.
 */
globalThis.checkPage = async ({ tags, passed, examined }) => {
  const before = document.adoptedStyleSheets
  // Which controls a bar that sticks to the edge covers in part depends on the scroll position alone.
  const unstuck = new CSSStyleSheet()
  unstuck.replaceSync('.sticky { position: static !important }')
  document.adoptedStyleSheets = [...before, unstuck]
  try {
    const others =
      tags.length === 0 ? [] : (await runAxe(document, { runOnly: tags, rules: withoutContrast })).violations
    const texts = textsToCheck(new Set(passed), new Set(examined))
    const { violations, passes } = texts.length === 0 ? nothing : await runAxe(texts.map(elementOf), forColors)
    const fine = new Set(
      passes.filter(({ id }) => id === 'color-contrast').flatMap(({ nodes }) => nodes.map(elementOf)),
    )
    return {
      violations: [...others, ...violations].map(describe),
      passed: texts.filter(({ element }) => fine.has(element)).map(({ colors }) => colors),
      // What axe does not judge, such as the text of a disabled button, is not the same with another content.
      examined: texts.filter(({ element }) => !fine.has(element)).map(({ identity }) => identity),
    }
  } finally {
    document.adoptedStyleSheets = before
  }
}

const withoutContrast = { 'color-contrast': { enabled: false } }
const forColors = { runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations', 'passes'] }
const nothing = { violations: [], passes: [] }

function runAxe(where, options) {
  // No selectors of all elements, and no copies of style sheets that no rule needs.
  const cheaply = { elementRef: true, selectors: false, preload: { assets: ['media'] } }
  return axe.run(where, { resultTypes: ['violations'], ...cheaply, ...options })
}

function elementOf({ element }) {
  return element
}

function describe({ id, nodes }) {
  return `${id}: ${nodes.map(({ element }) => element.outerHTML.slice(0, 500)).join(' ')}`
}

/** The elements with text of their own that axe has to look at. What is behind a modal dialog cannot be used. */
function textsToCheck(passed, examined) {
  const scope = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement
  const chains = new Map()
  const texts = []
  const painted = []
  for (const element of [document.documentElement, ...document.documentElement.querySelectorAll('body, body *')]) {
    const style = getComputedStyle(element)
    const background = backgroundOf(style)
    const behind = chains.get(element.parentElement) ?? ''
    chains.set(element, background === '' ? behind : `${background} / ${behind}`)
    if (!scope.contains(element) || !element.checkVisibility({ visibilityProperty: true })) continue
    const box = element.getBoundingClientRect()
    if (background !== '') painted.push({ element, background, box })
    if (hasText(element)) texts.push({ element, style, box })
  }
  return texts.flatMap(({ element, style, box }) => {
    const overlaps = overlapsOf(element, box, painted)
    const colors = hash(`${foregroundOf(element, style)} on ${chains.get(element)} with ${overlaps}`)
    const identity = hash(`${colors} ${element.cloneNode(false).outerHTML} ${element.textContent.slice(0, 200)}`)
    return passed.has(colors) || examined.has(identity) ? [] : [{ element, colors, identity }]
  })
}

function hasText(element) {
  if (element.matches('input, select, textarea')) return true
  return [...element.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '')
}

/** What contrast depends on besides the background, and for links what tells them from the text around them. */
function foregroundOf(element, style) {
  const { color, fontSize, fontWeight, textShadow, webkitTextStroke, textDecorationLine } = style
  const around = element.matches('a') ? getComputedStyle(element.parentElement).color : ''
  return [color, fontSize, fontWeight, textShadow, webkitTextStroke, textDecorationLine, around].join(' ')
}

/** What an element changes for the text before it; empty if it changes nothing. */
function backgroundOf({ backgroundColor, backgroundImage, opacity, filter, mixBlendMode }) {
  const isClear = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none'
  if (isClear && opacity === '1' && filter === 'none' && mixBlendMode === 'normal') return ''
  return [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(' ')
}

/** What lies before or behind an element besides its ancestors, and whether it sticks out of the background that it has. */
function overlapsOf(element, box, painted) {
  const found = new Set()
  let ground
  for (const other of painted) {
    if (other.element.contains(element)) ground = other
    else if (intersects(box, other.box) && !element.contains(other.element)) found.add(other.background)
  }
  if (ground && !ground.element.matches('html, body') && !isWithin(box, ground.box)) found.add('the outside')
  return [...found].sort().join(', ')
}

const TOLERANCE_PX = 1

function intersects(a, b) {
  return (
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > TOLERANCE_PX &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > TOLERANCE_PX
  )
}

function isWithin(inner, outer) {
  return (
    inner.left >= outer.left - TOLERANCE_PX &&
    inner.right <= outer.right + TOLERANCE_PX &&
    inner.top >= outer.top - TOLERANCE_PX &&
    inner.bottom <= outer.bottom + TOLERANCE_PX
  )
}

/** 53 bits of a text (cyrb53), in short: every page is told what has passed before. */
function hash(text) {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
