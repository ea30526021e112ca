import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { withoutTrailingDots } from './urls.ts'

const RECHECK_AFTER_MS = 5000

/** The system's hosts file, which c-ares ignores. Its modification time is checked every 5 s at most. */
export function openHostsFile(path: string): { find(host: string): readonly string[] | undefined } {
  let names: ReadonlyMap<string, readonly string[]> = new Map()
  let checkedAt = Number.NEGATIVE_INFINITY
  let readModifiedAt: number | undefined
  return {
    find(host) {
      const now = performance.now()
      if (now - checkedAt > RECHECK_AFTER_MS) {
        checkedAt = now
        const modifiedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
        if (modifiedAt !== readModifiedAt) {
          names = modifiedAt === undefined ? new Map() : parseHostsFile(readFileSync(path, 'utf8'))
          readModifiedAt = modifiedAt
        }
      }
      return names.get(withoutTrailingDots(host).toLowerCase())
    },
  }
}

export function parseHostsFile(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const alias of aliases) {
      const addresses = names.getOrInsertComputed(alias.toLowerCase(), () => [])
      if (!addresses.includes(address)) addresses.push(address)
    }
  }
  return names
}
