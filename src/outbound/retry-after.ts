import { SECOND_MS } from '../lib/clock.ts'

/** How long a Retry-After header asks to wait, at most `maxMs`. Null if it is missing or malformed. */
export function parseRetryAfter(header: string | null, now: number, maxMs: number): number | null {
  const text = header?.trim() ?? ''
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Math.ceil(Number(text) * SECOND_MS) : parseHttpDate(text) - now
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), maxMs)
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const httpDate = new RegExp(
  `^${day}, (\\d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} \\d{2}:\\d{2}:\\d{2}) GMT$`,
)

/**
 * Only the form that HTTP servers must send (RFC 9110, IMF-fixdate). `Date.parse` accepts much more: a bare year, and the
 * 31st of February, which becomes a day in March.
 */
function parseHttpDate(text: string): number {
  const [, written] = httpDate.exec(text) ?? []
  if (written === undefined) return Number.NaN
  const parsed = Date.parse(`${written} GMT`)
  const isReal = !Number.isNaN(parsed) && new Date(parsed).toUTCString().endsWith(`${written} GMT`)
  return isReal ? parsed : Number.NaN
}
