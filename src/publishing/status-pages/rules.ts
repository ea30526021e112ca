import type { Fault } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { isObject } from '../../contract/validate.ts'
import { parseTimeZone } from '../../lib/zone.ts'
import { isSlug } from './slug.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a schema cannot say of a field; each sees text alone. */
const forms: Readonly<Record<string, (text: string, installation: Installation) => string | null>> = {
  slug: (text) => (isSlug(text) ? null : 'must be of a-z, 0-9 and -, with no - at either end'),
  customDomain: (text, { baseUrl }) => domainFault(text, new URL(baseUrl).hostname),
  logoUrl: addressFault,
  faviconUrl: addressFault,
  homepageUrl: addressFault,
  contactUrl: addressFault,
  accentColor: (text) => (/^#[0-9a-f]{6}$/i.test(text) ? null : 'must be a colour of the form #rrggbb'),
  timezone: (text) => (parseTimeZone(text) === undefined ? 'must be an IANA time zone, such as Europe/Berlin' : null),
}

/** Faults of what was sent of a page, whether it is a new one or a change. */
export function pageFaults(page: Fields, installation: Installation): Fault[] {
  const ofFields = Object.entries(forms).flatMap(([path, faultOf]): Fault[] => {
    const value = page[path]
    const message = typeof value === 'string' ? faultOf(value, installation) : null
    return message === null ? [] : [{ path, message }]
  })
  return [...ofFields, ...repeatFaults(page.sections)]
}

export function newPageFaults(page: Fields, installation: Installation): Fault[] {
  const { visibility, password } = page
  return [...pageFaults(page, installation), ...passwordFaults(visibility, password !== undefined)]
}

export function passwordFaults(visibility: unknown, hasPassword: boolean): Fault[] {
  if (visibility !== 'PASSWORD' || hasPassword) return []
  return [{ path: 'password', message: 'is required with the visibility PASSWORD' }]
}

/** A monitor may stand in several sections, but in each once. */
function repeatFaults(sections: unknown): Fault[] {
  if (!Array.isArray(sections)) return []
  return sections.flatMap((section: unknown, i) => {
    const monitors = isObject(section) ? section.monitors : undefined
    if (!Array.isArray(monitors)) return []
    const seen = new Set<unknown>()
    return monitors.flatMap((entry: unknown, j): Fault[] => {
      const id = isObject(entry) ? entry.monitorId : undefined
      if (typeof id !== 'string' || !seen.has(id)) {
        seen.add(id)
        return []
      }
      return [{ path: `sections.${i}.monitors.${j}.monitorId`, message: 'stands in this section already' }]
    })
  })
}

function addressFault(text: string): string | null {
  // URL would drop tabs and line breaks without a word, and take what follows a third slash for the host.
  const isAddress = /^https?:\/\/[^/\\\s\p{Cc}][^\s\p{Cc}]*$/iu.test(text) && URL.parse(text) !== null
  return isAddress ? null : 'must be an http:// or https:// address'
}

function domainFault(text: string, own: string): string | null {
  const domain = domainOf(text)
  if (domain === undefined) return 'must be a host name such as status.example.com, without scheme, port and path'
  return domain === own ? 'is the address of this installation itself' : null
}

const LONGEST_DOMAIN = 253

/** A host name as requests will name it: in lower case and ASCII. Undefined where it is none that has a domain. */
export function domainOf(text: string): string | undefined {
  if (/[\s\p{Cc}:/?#@\\%[\]]/u.test(text)) return undefined
  const host = URL.parse(`https://${text}`)?.hostname ?? ''
  const labels = host.split('.')
  const isName = labels.length > 1 && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  // The last label of an address is a number; of a name it never is.
  return isName && host.length <= LONGEST_DOMAIN && !/^\d+$/.test(labels.at(-1) as string) ? host : undefined
}
