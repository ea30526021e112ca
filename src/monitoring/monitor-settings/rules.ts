import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { isObject } from '../../lib/json.ts'
import { userInfoOf } from '../../lib/mask.ts'
import { reason } from '../../reasons/reason.ts'
import { definitions, monitorTypes } from '../monitor-types/definitions.ts'
import type { MonitorPatch, MonitorSettings } from './schema.ts'
import { unmaskPatch } from './secrets.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Fields that the monitor's type requires and that are missing or can never work. Of a changed monitor, only targets that were
 * `changed` are judged: one that an earlier version accepted stays.
 */
export function typeFaults(monitor: Fields, changed?: readonly string[]): Fault[] {
  const type = monitorTypes.find((known) => known === monitor.type)
  if (type === undefined) return []
  const { required, usesCredentialsInUrl } = definitions[type]
  const isNew = (field: string): boolean => changed === undefined || changed.includes('type') || changed.includes(field)
  const faults = Object.entries(required).flatMap(([field, { faultOf }]): Fault[] => {
    const value = monitor[field]
    if (value === undefined || value === null || value === '') {
      return [faultFor(field, reason('required_for_type', { type }))]
    }
    if (typeof value !== 'string' || !isNew(field)) return []
    const why = faultOf?.(value)
    if (why === undefined) return []
    return [typeof why === 'string' ? { path: field, message: why } : faultFor(field, why)]
  })
  if (faults.length > 0 || usesCredentialsInUrl || !isNew('url')) return faults
  return typeof monitor.url === 'string' && userInfoOf(monitor.url) !== undefined
    ? [faultFor('url', reason('url_login', { type }))]
    : []
}

/** The target as one text; null if the type has none. */
export function targetText(settings: MonitorSettings): string | null {
  // Undefined for a type of a newer version, whose nodes may serve at the same time.
  return definitions[settings.type]?.targetText(settings) ?? null
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
    if (!headerName.test(name)) return [faultFor(path, reason('not_a_header'))]
    if (typeof value === 'string' && !headerValue.test(value)) {
      return [faultFor(path, reason('header_characters'))]
    }
    return []
  })
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
