import { randomBytes } from 'node:crypto'

export type IdPrefix =
  | 'mon'
  | 'inc'
  | 'page'
  | 'mw'
  | 'sinc'
  | 'upd'
  | 'we'
  | 'dlv'
  | 'att'
  | 'evt'
  | 'key'
  | 'org'
  | 'usr'
  | 'con'
  | 'ntc'
  | 'sub'
  | 'req'
  | 'ses'
  | 'inv'
  | 'aud'
  | 'psk'

/** Random hex digits, drawn in bulk: asking the system for a few bytes at a time costs more than the id. */
let digits = ''
let nextDigit = 0
const DIGITS_AT_ONCE = 16_384

function randomHex(count: number): string {
  if (nextDigit + count > digits.length) {
    digits = randomBytes(DIGITS_AT_ONCE / 2).toString('hex')
    nextDigit = 0
  }
  nextDigit += count
  return digits.slice(nextDigit - count, nextDigit)
}

let lastMs = 0
let lastTime = ''
let counter = 0

/**
 * A prefixed UUIDv7 in hex. Ids of one process sort strictly by creation: within a millisecond the 12 bits after the
 * version count up, and when they run out the id borrows the next millisecond.
 */
export function newId(prefix: IdPrefix, nowMs: number): string {
  counter += 1
  if (nowMs > lastMs || counter > 0xfff) {
    lastMs = Math.max(nowMs, lastMs + 1)
    lastTime = lastMs.toString(16).padStart(12, '0')
    counter = 0
  }
  const count = counter.toString(16).padStart(3, '0')
  // The variant of RFC 9562 is two bits; the other two of its digit are random.
  return `${prefix}_${lastTime}7${count}${'89ab'[randomHex(1).charCodeAt(0) & 3]}${randomHex(15)}`
}

const kinds: Readonly<Record<string, string>> = {
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
}

/** What an id is the id of, as those who watch are told. */
export function resourceKindOf(id: string): string {
  return kinds[id.slice(0, id.indexOf('_'))] ?? 'other'
}
