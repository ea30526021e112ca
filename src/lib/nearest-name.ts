/** The known name that was probably meant: the nearest by spelling. `typedFor` returns what was typed in place of a name. */
export function nearestName(names: readonly string[], typedFor: (name: string) => string): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editsBetween(name, typedFor(name)) }))
    .filter(({ name, edits }) => edits <= (name.length < 5 ? 1 : 2))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.name
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editsBetween(a: string, b: string): number {
  // Longer texts are no typing mistakes, and the table below is quadratic.
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i])
    for (let j = 1; j <= b.length; j += 1) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const edits = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)]
      rows[i]?.push(Math.min(...edits, isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY))
    }
  }
  return at(a.length, b.length)
}
