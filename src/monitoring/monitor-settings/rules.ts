import type { Fault } from '../../contract/errors.ts'
import { isObject } from '../../contract/validate.ts'
import { parseHostAndPort } from '../../lib/host.ts'
import { type MonitorPatch, type MonitorSettings, type MonitorType, monitorTypes } from './schema.ts'
import { unmaskPatch } from './secrets.ts'
import { requiredFields } from './variants.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields that the monitor's type requires and that are missing or malformed. */
export function typeFaults(monitor: Fields): Fault[] {
  const type = monitorTypes.find((known) => known === monitor.type)
  if (type === undefined) return []
  return requiredFields[type].flatMap((field): Fault[] => {
    const value = monitor[field]
    if (value === undefined || value === null || value === '') {
      return [{ path: field, message: `is required for ${type} monitors` }]
    }
    if (typeof value !== 'string') return []
    const message = formFault(type, field, value)
    return message === undefined ? [] : [{ path: field, message }]
  })
}

function formFault(type: MonitorType, field: string, value: string): string | undefined {
  if (field === 'host') return isHostLike(value) ? undefined : 'must be a host name or an IP address'
  if (field !== 'url') return undefined
  if (type === 'HTTP' || type === 'KEYWORD') {
    return isHttpUrl(value) ? undefined : 'must be an http:// or https:// address'
  }
  return parseHostAndPort(value) === undefined ? 'must be an address or a host name' : undefined
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value)
  return url !== null && /^https?:\/\//i.test(value) && url.hostname !== ''
}

/** Rejects only what can never be resolved; the probe reports the rest. */
function isHostLike(value: string): boolean {
  return !/[\s\p{Cc}/?#@\\]/u.test(value)
}

/** The target as one text; null for CRON, which has none. */
export function targetText({ type, url, host, port }: MonitorSettings): string | null {
  if (type === 'CRON') return null
  if (type === 'PING') return host
  if (type !== 'PORT') return url
  return host === null ? null : `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A new monitor has no stored values that a mask could keep. */
export function maskFaults(body: Fields): Fault[] {
  return unmaskPatch(body as MonitorPatch, { url: null, requestHeaders: null, requestBody: null }).faults
}

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Characters of names and values together. Servers accept little more, and a list of monitors contains all of them. */
const MAX_HEADER_CHARS = 16_384

/** Headers that HTTP cannot carry, or too many of them. */
export function headerFaults({ requestHeaders }: Fields): Fault[] {
  if (!isObject(requestHeaders)) return []
  const chars = Object.entries(requestHeaders).reduce((sum, [name, value]) => sum + name.length + lengthOf(value), 0)
  if (chars > MAX_HEADER_CHARS) {
    const message = `must have names and values of at most ${MAX_HEADER_CHARS} characters in total, not ${chars}`
    return [{ path: 'requestHeaders', message }]
  }
  return Object.entries(requestHeaders).flatMap(([name, value]): Fault[] => {
    const path = `requestHeaders.${name}`
    if (!headerName.test(name)) return [{ path, message: 'is not a valid header name' }]
    if (typeof value === 'string' && !headerValue.test(value)) {
      return [{ path, message: 'has characters that a header cannot carry' }]
    }
    return []
  })
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
