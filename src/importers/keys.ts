import { createHash } from 'node:crypto'
import { asciiWords } from '../publishing/status-pages/slug.ts'

const MAX_CHARS = 63
const MAX_ID_CHARS = 12
const HASH_CHARS = 8

/**
 * Keys of one kind of resource. A key is made of the name and the id that the object has in the other tool, so that a second
 * import finds the resource again, whatever was added or removed meanwhile. Without a name, the id is the key.
 */
export function createKeys(noun: string): (sourceId: string | number, name?: string) => string {
  const taken = new Set<string>()
  return (sourceId, name) => {
    const key = keyOf(String(sourceId), name, noun)
    const unique = taken.has(key) ? joined(key, hashOf(`${sourceId} ${name}`)) : key
    if (taken.has(unique)) throw new Error('another object has the same id')
    taken.add(unique)
    return unique
  }
}

function keyOf(sourceId: string, name: string | undefined, noun: string): string {
  if (name === undefined) return asciiWords(sourceId) || joined(noun, hashOf(sourceId))
  return joined(asciiWords(name) || noun, idSuffix(sourceId))
}

/** What keys with a name end with. An id such as a UUID would make the key longer than its name. */
export function idSuffix(sourceId: string): string {
  const id = asciiWords(sourceId)
  return id.length > 0 && id.length <= MAX_ID_CHARS ? id : hashOf(sourceId)
}

function joined(base: string, suffix: string): string {
  return `${base.slice(0, MAX_CHARS - suffix.length - 1).replace(/-+$/, '')}-${suffix}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS)
}
