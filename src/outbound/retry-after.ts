import { SECOND_MS } from '../lib/clock.ts'

/** How long a Retry-After header asks to wait, at most `maxMs`. Null if it is missing or malformed. */
export function parseRetryAfter(header: string | null, now: number, maxMs: number): number | null {
  const text = header?.trim() ?? ''
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text) * SECOND_MS) : parseHttpDate(text) - now
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), maxMs)
}

/** Date.parse alone would also accept a bare year and other forms that HTTP does not know. */
function parseHttpDate(text: string): number {
  return /^[A-Z][a-z]+, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN
}
