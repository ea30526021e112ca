/**
 * What is wrong with the text of a page as it is laid out: text that covers other text, short words that are broken, and text that is
 * cut off without an ellipsis. Run in the page.
 */
globalThis.textFaults = () => {
  const faults = []
  const shown = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node.parentElement
    if (node.data.trim() === '' || !isLaidOut(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const clip = clipOf(element)
    for (const rect of range.getClientRects()) {
      const seen = intersection(rect, clip)
      if (seen === null) continue
      shown.push({ element, seen, text: node.data.trim() })
      if (!clip.hasEllipsis && !clip.scrolls && rect.right - seen.right > 2) faults.push(`cut off: ${quoted(node)}`)
    }
    if (getComputedStyle(element).wordBreak === 'break-all') continue
    for (const { 0: word, index } of node.data.matchAll(/[^\s\-/.:@_]{2,20}/g)) {
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const lines = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)),
      )
      if (lines.size > 1 && standsAlone(node.data, index, word.length))
        faults.push(`broken: "${word}" in ${quoted(node)}`)
    }
  }
  for (const [i, one] of shown.entries()) {
    for (const other of shown.slice(i + 1)) {
      if (one.element === other.element) continue
      const both = intersection(one.seen, other.seen)
      if (both !== null && both.right - both.left > 2 && both.bottom - both.top > 5)
        faults.push(`"${one.text.slice(0, 40)}" and "${other.text.slice(0, 40)}" cover each other`)
    }
  }
  return [...new Set(faults)]
}

const quoted = (node) => `"${node.data.trim().slice(0, 60)}" (${node.parentElement.outerHTML.slice(0, 160)})`

/** Parts of names and addresses that are longer than a line may be broken anywhere. */
function standsAlone(text, index, length) {
  const before = text.slice(0, index).split(/\s/).at(-1)
  const after = text.slice(index + length).split(/\s/)[0]
  return before.length + length + after.length <= 20
}

/** Not what only screen readers get, and not what lies above the page on purpose: bars, toasts, menus. */
function isLaidOut(element) {
  if (element.closest('.sr-only, [popover], dialog, option, select, datalist, script, style, svg, .skeleton') !== null)
    return false
  if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
  for (let at = element; at !== null; at = at.parentElement) {
    const { position } = getComputedStyle(at)
    if (position === 'fixed' || position === 'sticky') return false
  }
  return true
}

/** The part of the page in which an element is seen. */
function clipOf(element) {
  const clip = {
    left: -Infinity,
    top: -Infinity,
    right: Infinity,
    bottom: Infinity,
    hasEllipsis: false,
    scrolls: false,
  }
  for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(at)
    if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') clip.hasEllipsis = true
    if (overflowX === 'auto' || overflowX === 'scroll') clip.scrolls = true
    if (overflowX === 'visible' && overflowY === 'visible') continue
    const { left, top, right, bottom } = at.getBoundingClientRect()
    Object.assign(clip, intersection(clip, { left, top, right, bottom }) ?? { right: -Infinity })
  }
  return clip
}

function intersection(a, b) {
  const both = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
  return both.left < both.right && both.top < both.bottom ? both : null
}
