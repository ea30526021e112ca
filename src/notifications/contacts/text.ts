/**
 * How many items fit into `max`. Leaves room for a last one of `lastSize`, unless all items fit and `isComplete` says
 * that there are no others.
 */
export function countThatFit(sizes: readonly number[], max: number, lastSize: number, isComplete = true): number {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (isComplete && total <= max) return sizes.length
  let used = lastSize
  const over = sizes.findIndex((size) => {
    used += size
    return used > max
  })
  return over === -1 ? sizes.length : over
}

/** Makes text safe in the markup of a channel. */
export type Escape = (text: string) => string

/** The escape function of channels that show text as it is. */
export function noMarkup(text: string): string {
  return text
}

const MAX_NOTE = 2_900
const CUT = '…'

/** `unlisted`: how many further lines were left out. */
export interface TextLines {
  readonly lines: readonly string[]
  readonly unlisted: number
  /** Lines that follow if there is room for them, marked up like the others. */
  readonly notes?: readonly string[]
  /** "… and 3 more" in the language of the message. */
  readonly more?: (count: number) => string
}

/**
 * As many whole lines as fit into `max`, line breaks included, and if needed a last line "… and 3 more"; then as many notes as
 * fit.
 */
export function fitLines(
  { lines, unlisted, notes = [], more = moreText }: TextLines,
  max: number,
  measure = (line: string) => line.length,
): string[] {
  const size = (line: string): number => measure(line) + 1
  const count = countThatFit(lines.map(size), max, size(more(lines.length + unlisted)), unlisted === 0)
  const missing = lines.length + unlisted - count
  const fitting = missing === 0 ? [...lines] : [...lines.slice(0, count), more(missing)]
  if (notes.length === 0) return fitting
  const room = max - fitting.reduce((sum, line) => sum + size(line), 0)
  // A note that is longer than a block of Slack would make it refuse the whole message.
  const short = notes.filter((line) => measure(line) <= MAX_NOTE)
  const noted = short.slice(0, countThatFit(short.map(size), room, size(CUT)))
  return [...fitting, ...noted, ...(noted.length > 0 && noted.length < notes.length ? [CUT] : [])]
}

function moreText(count: number): string {
  return `… and ${count} more`
}

export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text)
}
