// Runs in the page that is checked, next to axe. accessibility.ts loads it as text.

/** Marks the elements that a rule of axe has to look at. */
const marks = { 'color-contrast': 'data-check-contrast', 'target-size': 'data-check-size' }

axe.configure({
  noHtml: true,
  rules: Object.entries(marks).map(([id, mark]) => ({ id, selector: `[${mark}]` })),
})

/**
 * Runs axe on the page as it is. Contrast and the size of targets take axe longer than all other rules together, so it is asked
 * only about elements that do not clearly pass. Without such texts there is nothing to do if `rules` are those of colors.
 */
globalThis.checkPage = async ({ rules, isColors }) => {
  const before = document.adoptedStyleSheets
  // Which controls a bar that sticks to the edge covers in part depends on the scroll position alone.
  const unstuck = new CSSStyleSheet()
  unstuck.replaceSync('.sticky { position: static !important }')
  document.adoptedStyleSheets = [...before, unstuck]
  const shown = shownElements()
  const texts = unclearTexts(shown)
  const targets = isColors ? [] : unclearTargets(shown)
  for (const { element } of texts) element.setAttribute(marks['color-contrast'], '')
  for (const { element } of targets) element.setAttribute(marks['target-size'], '')
  try {
    const results = isColors && texts.length === 0 ? [] : await runAxe(rules)
    return results.filter(({ violations }) => violations.length > 0).map(describe)
  } finally {
    for (const { element } of texts) element.removeAttribute(marks['color-contrast'])
    for (const { element } of targets) element.removeAttribute(marks['target-size'])
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

/** The elements that can be seen and used, each with what the checks need to know about it. */
function shownElements() {
  // What is behind a modal dialog cannot be used.
  const scope = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.documentElement
  const known = new Map()
  const nothing = { ground: { colors: [], all: [] } }
  for (const element of [document.documentElement, ...document.documentElement.querySelectorAll('body, body *')]) {
    const style = getComputedStyle(element)
    const parent = known.get(element.parentElement) ?? nothing
    const box = boxOf(element)
    const layer = style.position === 'fixed' ? element : parent.layer
    const isBlended =
      parent.isBlended || style.opacity !== '1' || style.filter !== 'none' || style.mixBlendMode !== 'normal'
    const colors = backgroundsOf(style)
    const ground = colors.length === 0 ? parent.ground : { box, layer, ...groundOf(style, colors, parent.ground) }
    known.set(element, { element, style, box, layer, isBlended, colors, ground })
  }
  return [...known.values()].filter(({ element }) => {
    return scope.contains(element) && element.checkVisibility({ visibilityProperty: true })
  })
}

/** A plain object, because boxes are compared very often, and the fields of a `DOMRect` are slow to read. */
function boxOf(element) {
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return { left, top, right, bottom }
}

/** The colors that an element paints behind its content: those of its gradients and its own. Images count as unknown colors. */
function backgroundsOf({ backgroundColor, backgroundImage }) {
  const all = [...(backgroundImage.match(/[\w-]+\([^()]*\)/g) ?? []), backgroundColor]
  return all.filter((color) => color !== 'rgba(0, 0, 0, 0)')
}

/** `colors` can be behind the content of an element; `all` can be behind content that reaches out of the element. */
function groundOf({ backgroundColor }, colors, behind) {
  const isOpaque = luminance(backgroundColor) !== undefined
  return { colors: isOpaque ? colors : [...colors, ...behind.colors], all: [...colors, ...behind.all] }
}

/** The elements with text of their own that may not stand out from everything behind or in front of it. */
function unclearTexts(shown) {
  const painted = shown.filter(({ colors }) => colors.length > 0)
  const texts = shown.filter(({ element }) => hasText(element) && element.closest(':disabled') === null)
  return texts.filter((text) => {
    const { element, style, box, ground, layer, isBlended } = text
    if (isBlended || !isPlain(element, style)) return true
    const own = ground.box !== undefined && isWithin(box, ground.box) ? ground.colors : ground.all
    const others = overlapsOf(text, painted).filter((other) => other.layer === layer || ground.layer !== layer)
    const colors = [...own, ...others.flatMap((other) => (other.isBlended ? ['blended'] : other.colors))]
    return own.length === 0 || !colors.every((color) => contrast(style.color, color) >= MIN_CONTRAST)
  })
}

/** WCAG 2.2 AA, for text of any size. */
const MIN_CONTRAST = 4.5

function hasText(element) {
  if (element.matches('input, select, textarea')) return true
  return [...element.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '')
}

/** Has no effects on its text, and is not a link that its color alone may tell from the text around it. */
function isPlain(element, { display, textShadow, webkitTextStrokeWidth, textDecorationLine }) {
  const isPlainLink = !element.matches('a') || display !== 'inline' || textDecorationLine === 'underline'
  return isPlainLink && textShadow === 'none' && webkitTextStrokeWidth === '0px'
}

/** The controls that are covered in part, or closer to others than the smallest size allows. */
function unclearTargets(shown) {
  const controls = shown
    .filter(({ element }) => element.matches(CONTROLS))
    .map((control) => ({ ...control, box: atLeast(MIN_TARGET_PX + 2 * TOLERANCE_PX, control.box) }))
  return controls.filter((control) => overlapsOf(control, controls).some(({ layer }) => layer === control.layer))
}

const CONTROLS =
  'a, button, input, select, textarea, summary, [role=option], [role=tab], [role=menuitem], [role=button]'
/** WCAG 2.2 AA: the side of the square around the middle of a small target that no other target may reach into. */
const MIN_TARGET_PX = 24
/** Boxes that touch each other are often not rounded the same way. */
const TOLERANCE_PX = 1

/** The box, made larger on all sides if it is smaller than a square of this size. */
function atLeast(size, { left, top, right, bottom }) {
  const x = Math.max(0, size - (right - left)) / 2
  const y = Math.max(0, size - (bottom - top)) / 2
  return { left: left - x, top: top - y, right: right + x, bottom: bottom + y }
}

/** Those that lie before or behind an element and are neither around it nor in it. */
function overlapsOf({ element, box }, others) {
  return others.filter((other) => {
    return intersects(box, other.box) && !other.element.contains(element) && !element.contains(other.element)
  })
}

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

/** The contrast of two colors as WCAG defines it, or 0 if one of them is not opaque. */
function contrast(one, other) {
  const [a, b] = [luminance(one), luminance(other)]
  return a === undefined || b === undefined ? 0 : (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(color) {
  const channels = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color)?.slice(1)
  if (channels === undefined) return undefined
  const [r, g, b] = channels.map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
