// Runs in the page that is checked, next to axe. accessibility.ts loads it as text.

/** Marks the elements that axe compares the colors of. */
const MARK = 'data-check-contrast'

axe.configure({ noHtml: true, rules: [{ id: 'color-contrast', selector: `[${MARK}]` }] })

/**
 * Runs axe on the page as it is. Contrast takes axe longer than all other rules together, so it is asked only about combinations
 * of colors that have not passed before. Without such combinations there is nothing to do if `rules` are those of colors.
 */
globalThis.checkPage = async ({ rules, isColors, passed, examined }) => {
  const before = document.adoptedStyleSheets
  // Which controls a bar that sticks to the edge covers in part depends on the scroll position alone.
  const unstuck = new CSSStyleSheet()
  unstuck.replaceSync('.sticky { position: static !important }')
  document.adoptedStyleSheets = [...before, unstuck]
  const texts = textsToCheck(new Set(passed), new Set(examined))
  for (const { element } of texts) element.setAttribute(MARK, '')
  try {
    const results = isColors && texts.length === 0 ? [] : await runAxe(rules)
    const contrast = results.find(({ id }) => id === 'color-contrast')
    const fine = new Set(contrast?.passes.map(({ node }) => node.element))
    return {
      violations: results.filter(({ violations }) => violations.length > 0).map(describe),
      passed: texts.filter(({ element }) => fine.has(element)).map(({ colors }) => colors),
      // What axe does not judge, such as the text of a disabled button, is not the same with another content.
      examined: texts.filter(({ element }) => !fine.has(element)).map(({ identity }) => identity),
    }
  } finally {
    for (const { element } of texts) element.removeAttribute(MARK)
    document.adoptedStyleSheets = before
  }
}

/** The results of all rules. The usual report, with a copy and a selector of every element, takes as long as some rules. */
function runAxe(rules) {
  const reporter = (results, _options, callback) => callback(results)
  return axe.run(document, { runOnly: rules, reporter, iframes: false, preload: { assets: ['media'] } })
}

function describe({ id, violations }) {
  return `${id}: ${violations.map(({ node }) => node.element.outerHTML.slice(0, 500)).join(' ')}`
}

/** The elements with text of their own that axe has to look at. What is behind a modal dialog cannot be used. */
function textsToCheck(passed, examined) {
  const scope = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement
  /** For each element its background and those behind it, as text, and the closest element that has one. */
  const grounds = new Map()
  const texts = []
  const painted = []
  for (const element of [document.documentElement, ...document.documentElement.querySelectorAll('body, body *')]) {
    const style = getComputedStyle(element)
    const background = backgroundOf(style)
    const box = boxOf(element)
    const behind = grounds.get(element.parentElement) ?? { chain: '', box: undefined }
    const ground = background === '' ? behind : { chain: `${background} / ${behind.chain}`, box }
    grounds.set(element, ground)
    if (!scope.contains(element) || !element.checkVisibility({ visibilityProperty: true })) continue
    if (background !== '') painted.push({ element, background, box })
    if (hasText(element)) texts.push({ element, style, box, ground })
  }
  return texts.flatMap(({ element, style, box, ground }) => {
    const overlaps = overlapsOf(element, box, painted)
    if (!isWithin(box, ground.box ?? box)) overlaps.push('the outside')
    const colors = hash(`${foregroundOf(element, style)} on ${ground.chain} with ${overlaps}`)
    const identity = hash(`${colors} ${element.cloneNode(false).outerHTML} ${element.textContent.slice(0, 200)}`)
    return passed.has(colors) || examined.has(identity) ? [] : [{ element, colors, identity }]
  })
}

/** A plain object, because boxes are compared very often, and the fields of a `DOMRect` are slow to read. */
function boxOf(element) {
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return { left, top, right, bottom }
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

/** The backgrounds that lie before or behind an element and do not belong to its ancestors. */
function overlapsOf(element, box, painted) {
  const others = painted.filter((other) => {
    return intersects(box, other.box) && !other.element.contains(element) && !element.contains(other.element)
  })
  return [...new Set(others.map(({ background }) => background))].sort()
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

/** Shortens a text: every check sends to the page what has passed before. Two FNV-1a hashes of 32 bits. */
function hash(text) {
  let [one, other] = [0x811c9dc5, text.length]
  for (let i = 0; i < text.length; i += 1) {
    one = Math.imul(one ^ text.charCodeAt(i), 0x01000193)
    other = Math.imul(other ^ text.charCodeAt(text.length - 1 - i), 0x01000193)
  }
  return `${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`
}
