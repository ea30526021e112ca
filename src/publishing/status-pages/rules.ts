import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { duplicateFaults } from '../../contract/unique-items.ts'
import { isObject } from '../../lib/json.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import { domainFault } from '../custom-domains/names.ts'
import { MAX_ENTRIES } from './schema.ts'
import { isSlug } from './slug.ts'

type Fields = Readonly<Record<string, unknown>>

/** Rules for string fields that a JSON schema cannot express. */
const fieldRules: Readonly<Record<string, (text: string, installation: Installation) => Reason | string | null>> = {
  slug: (text) => (isSlug(text) ? null : reason('not_a_slug')),
  customDomain: (text, { baseUrl }) => domainFault(text, baseUrl),
  logoUrl: urlFault,
  faviconUrl: urlFault,
  homepageUrl: urlFault,
  contactUrl: urlFault,
  accentColor: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? null : reason('not_a_color')),
  timezone: (text) => (parseTimeZone(text) === undefined ? TIME_ZONE_FAULT : null),
}

/** Faults in the fields of a new page or of a change. */
export function pageFaults(page: Fields, installation: Installation): Fault[] {
  const fieldFaults = Object.entries(fieldRules).flatMap(([path, faultOf]): Fault[] => {
    const value = page[path]
    const why = typeof value === 'string' ? faultOf(value, installation) : null
    if (why === null) return []
    return [typeof why === 'string' ? { path, message: why } : faultFor(path, why)]
  })
  return [...fieldFaults, ...entryFaults(page.sections), ...repeatedMonitorFaults(page.sections)]
}

export function newPageFaults(page: Fields, installation: Installation): Fault[] {
  const { visibility, password } = page
  return [...pageFaults(page, installation), ...passwordFaults(visibility, password !== undefined)]
}

export function passwordFaults(visibility: unknown, hasPassword: boolean): Fault[] {
  if (visibility !== 'PASSWORD' || hasPassword) return []
  return [faultFor('password', reason('password_for_page', { field: 'visibility', value: 'PASSWORD' }))]
}

/** Names the first monitor beyond the limit. */
function entryFaults(sections: unknown): Fault[] {
  if (!Array.isArray(sections)) return []
  let room = MAX_ENTRIES
  for (const [i, section] of sections.entries()) {
    const monitors: unknown = isObject(section) ? section.monitors : undefined
    if (!Array.isArray(monitors)) continue
    if (monitors.length > room) {
      return [faultFor(`sections.${i}.monitors.${room}`, reason('too_many_on_page'))]
    }
    room -= monitors.length
  }
  return []
}

/** A monitor may be in several sections, but only once in each. */
function repeatedMonitorFaults(sections: unknown): Fault[] {
  if (!Array.isArray(sections)) return []
  return sections.flatMap((section: unknown, i) => {
    const monitors = isObject(section) ? section.monitors : undefined
    return duplicateFaults(`sections.${i}.monitors`, monitors, Number.POSITIVE_INFINITY, 'monitorId')
  })
}

function urlFault(text: string): Reason | null {
  // URL.parse silently drops tabs and line breaks, and reads https:///example.com as https://example.com.
  const isUrl = /^https?:\/\/[^/\\\s\p{Cc}][^\s\p{Cc}]*$/iu.test(text) && URL.parse(text) !== null
  return isUrl ? null : reason('not_http_url')
}
