import { createHash } from 'node:crypto'

const MAX_CHARS = 63
const HASH_CHARS = 8

/**
 * The key of a monitor: its parts, for example project and service, in the form of keys. It depends on nothing else, so that it is
 * the same after a restart.
 */
export function keyOf(...parts: readonly string[]): string {
  const key = parts.map(wordsOf).filter(Boolean).join('--')
  if (key !== '' && key.length <= MAX_CHARS && !parts.some(isAmbiguous)) return key
  const hash = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, HASH_CHARS)
  return `${key.slice(0, MAX_CHARS - HASH_CHARS - 1)}-${hash}`.replace(/^-+/, '')
}

function wordsOf(part: string): string {
  return part
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** `api-dev.example.com` and `api.dev.example.com` have the same words. */
function isAmbiguous(part: string): boolean {
  return new Set(part.replace(/^\/|\/$/g, '').match(/[^A-Za-z0-9]/g)).size > 1
}
