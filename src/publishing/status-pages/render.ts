import type { Static } from 'typebox'
import { Json, parseStored } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { StatusPageTable } from '../../storage/schema/status-pages.ts'
import { type DomainColumns, type DomainRules, servedDomainOf } from '../custom-domains/served.ts'
import type { OverallStatus } from './overall-status.ts'
import type { NewStatusPage, StatusPage } from './schema.ts'

/** The columns that the API answer is made from. */
export type PageRow = Omit<StatusPageTable, 'org_id' | 'seq' | 'folded_name' | 'domain_token'> & DomainColumns

/** Settings without a column of their own; stored as the members of a JSON object, without its braces. */
export type PageSettings = Omit<
  NewStatusPage,
  'name' | 'slug' | 'customDomain' | 'published' | 'visibility' | 'password' | 'sections'
>

const settingNames = [
  'description',
  'logoUrl',
  'faviconUrl',
  'homepageUrl',
  'contactUrl',
  'theme',
  'accentColor',
  'locale',
  'timezone',
  'historyDays',
  'showUptime',
  'showResponseTimes',
  'hideFromSearch',
  'subscribersEnabled',
] as const satisfies readonly (keyof PageSettings)[]

export function serializeSettings(page: PageSettings): string {
  return JSON.stringify(Object.fromEntries(settingNames.map((name) => [name, page[name]]))).slice(1, -1)
}

export function parseSettings(text: string): PageSettings {
  return parseStored(`{${text}}`)
}

/** The public URL of a page, given the domain on which it is served. */
export function publicUrlOf(slug: string, domain: string | null, baseUrl: string): string {
  return domain === null ? `${baseUrl}/status/${slug}` : `https://${domain}`
}

export function renderPage(row: PageRow, overall: OverallStatus, rules: DomainRules): Json<Static<typeof StatusPage>> {
  const head = JSON.stringify({
    id: row.id,
    name: row.name,
    slug: row.slug,
    url: publicUrlOf(row.slug, servedDomainOf(row, rules), rules.baseUrl),
    customDomain: row.custom_domain,
    published: row.published === 1,
    visibility: row.visibility,
    passwordSet: row.password_hash !== null,
  })
  const times = `"createdAt":"${isoTimestamp(row.created_at)}","updatedAt":"${isoTimestamp(row.updated_at)}"`
  return new Json(
    `${head.slice(0, -1)},${row.settings},"sections":${row.sections},"overallStatus":"${overall}",${times}}`,
  )
}
