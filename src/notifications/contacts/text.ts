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

/** `unlisted`: how many further lines were left out. */
export interface TextLines {
  readonly lines: readonly string[]
  readonly unlisted: number
}

/** As many whole lines as fit into `max`, line breaks included, and if needed a last line "… and 3 more". */
export function fitLines(
  { lines, unlisted }: TextLines,
  max: number,
  measure = (line: string) => line.length,
): string[] {
  const size = (line: string): number => measure(line) + 1
  const count = countThatFit(lines.map(size), max, size(moreText(lines.length + unlisted)), unlisted === 0)
  const missing = lines.length + unlisted - count
  return missing === 0 ? [...lines] : [...lines.slice(0, count), moreText(missing)]
}

export function moreText(count: number): string {
  return `… and ${count} more`
}

export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text)
}
