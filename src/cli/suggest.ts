import { nearestName } from '../lib/nearest-name.ts'

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
  const nearest = nearestName(names, (name) => words.slice(0, name.split(' ').length).join(' '))
  if (nearest !== undefined) return nearest
  for (let i = 0; i < words.length; i += 1) {
    const similar = synonyms.find((verbs) => verbs.includes(words[i] ?? '')) ?? []
    const found = similar.map((verb) => [...words.slice(0, i), verb].join(' ')).find((name) => names.includes(name))
    if (found !== undefined) return found
  }
  return undefined
}

export function suggestWord(word: string, known: readonly string[]): string | undefined {
  return nearestName(known, () => word)
}
