/** Verbs that people confuse. */
const synonyms: readonly (readonly string[])[] = [
  ['add', 'create', 'new', 'invite'],
  ['remove', 'delete', 'rm', 'revoke', 'unsubscribe'],
  ['update', 'set', 'edit', 'change'],
  ['get', 'show', 'list', 'ls'],
  ['start', 'run', 'serve', 'server'],
  ['backup', 'dump'],
  ['doctor', 'check', 'status', 'diagnose'],
]

/** The command that was probably meant: the nearest by spelling, or else one with a verb of the same meaning. */
export function suggestCommand(words: readonly string[], names: readonly string[]): string | undefined {
  const nearest = closest(names.map((name) => [name, words.slice(0, name.split(' ').length).join(' ')]))
  if (nearest !== undefined) return nearest
  for (let i = 0; i < words.length; i += 1) {
    const similar = synonyms.find((verbs) => verbs.includes(words[i] ?? '')) ?? []
    const found = similar.map((verb) => [...words.slice(0, i), verb].join(' ')).find((name) => names.includes(name))
    if (found !== undefined) return found
  }
  return undefined
}

export function suggestWord(word: string, known: readonly string[]): string | undefined {
  return closest(known.map((name) => [name, word]))
}

function closest(pairs: readonly (readonly [known: string, typed: string])[]): string | undefined {
  const ranked = pairs
    .map(([known, typed]) => ({ known, edits: editsBetween(known, typed) }))
    .filter(({ known, edits }) => edits <= (known.length < 5 ? 1 : 2))
    .sort((a, b) => a.edits - b.edits)
  return ranked[0]?.known
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
