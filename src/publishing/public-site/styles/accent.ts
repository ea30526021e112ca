import { createHash } from 'node:crypto'

type Rgb = readonly [number, number, number]

/** The background colours of tokens.css. */
const surfaces = { light: ['#ffffff', '#f6f8fa'], dark: ['#0d1117', '#161b22'] } as const
/** Required by WCAG AA for text. */
const MIN_CONTRAST = 4.5

/**
 * A stylesheet with the accent colour of a page; the content security policy forbids inline styles. It depends only on the
 * colour, so its URL needs no page and its content never changes.
 */
export function accentStylesheet(colour: string): { readonly name: string; readonly css: string } {
  const rgb = parse(colour)
  const light = readable(rgb, surfaces.light, [0, 0, 0])
  const dark = readable(rgb, surfaces.dark, [255, 255, 255])
  const inLight = `--accent:${hex(light)};--on-accent:#fff`
  const inDark = `--accent:${hex(dark)};--on-accent:#000`
  const css =
    `:root{${inLight}}@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${inDark}}}` +
    `:root[data-theme=dark]{${inDark}}@media print{:root:root:root{${inLight}}}`
  const digest = createHash('sha256').update(css).digest('hex').slice(0, 8)
  return { name: `accent-${colour.slice(1).toLowerCase()}-${digest}.css`, css }
}

/** The stylesheet with this name; undefined unless `accentStylesheet` makes this name. */
export function accentCssOf(name: string): string | undefined {
  const colour = /^accent-([0-9a-f]{6})-[0-9a-f]{8}\.css$/.exec(name)?.[1]
  if (colour === undefined) return undefined
  const stylesheet = accentStylesheet(`#${colour}`)
  return stylesheet.name === name ? stylesheet.css : undefined
}

/** Mixes the colour with black or white until it is readable on every background. */
function readable(colour: Rgb, on: readonly string[], towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(colour, towards, share)
    if (on.every((surface) => contrast(mixed, parse(surface)) >= MIN_CONTRAST)) return mixed
  }
  return towards
}

function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const between = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * share)
  return [between(0), between(1), between(2)]
}

/** The contrast ratio of WCAG, from 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number): number => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

export function parse(colour: string): Rgb {
  const part = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

function hex(rgb: Rgb): string {
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
