import { randomUUID } from 'node:crypto'

/** The kind of resource by the prefix of its id, as change notices name it. */
const resourceKinds = {
  mon: 'monitor',
  inc: 'incident',
  page: 'status_page',
  mw: 'maintenance',
  sinc: 'status_incident',
  we: 'webhook_endpoint',
  dlv: 'webhook_delivery',
  con: 'contact',
  key: 'key',
  usr: 'member',
  inv: 'invitation',
  org: 'organization',
  imp: 'import',
  shd: 'shadow_run',
}

type OtherPrefix = 'note' | 'upd' | 'att' | 'evt' | 'ntc' | 'sub' | 'req' | 'ses' | 'aud' | 'psk' | 'plan'
type IdPrefix = keyof typeof resourceKinds | OtherPrefix

/** 62 random bits after the two bits of the RFC 9562 variant, as 16 hex digits. */
function randomDigits(): string {
  const uuid = randomUUID()
  return uuid.slice(19, 23) + uuid.slice(24)
}

let lastMs = 0
let counter = 0

/**
 * A prefixed UUIDv7 in hex. Ids of one process are strictly ascending: within a millisecond the 12 bits after the version
 * count up, and when they overflow the id uses the next millisecond.
 */
export function newId(prefix: IdPrefix, nowMs: number): string {
  counter += 1
  if (nowMs > lastMs || counter > 0xfff) {
    lastMs = Math.max(nowMs, lastMs + 1)
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const count = counter.toString(16).padStart(3, '0')
  return `${prefix}_${time}7${count}${randomDigits()}`
}

export function resourceKindOf(id: string): string {
  const kinds: Readonly<Record<string, string>> = resourceKinds
  return kinds[id.slice(0, id.indexOf('_'))] ?? 'other'
}
