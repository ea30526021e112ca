import type { Static } from 'typebox'
import { Json } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/moment.ts'
import type { StatusPageTable } from '../../storage/schema-statuspages.ts'
import type { OverallStatus } from './overall-status.ts'
import type { NewStatusPage, StatusPage } from './schema.ts'

/** What is shown of a page; of its password, whether it has one. */
export type PageRow = Omit<StatusPageTable, 'org_id' | 'seq' | 'folded_name'>

/** Settings that nobody searches for: they are stored as the members of the JSON object that they leave in. */
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

export function settingsText(page: PageSettings): string {
  return JSON.stringify(Object.fromEntries(settingNames.map((name) => [name, page[name]]))).slice(1, -1)
}

export function settingsIn(text: string): PageSettings {
  return JSON.parse(`{${text}}`)
}

/** A name as searches compare it: what SQLite and PostgreSQL themselves take for lower case differs. */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Where people find a page. */
export function addressOf({ slug, custom_domain: domain }: PageRow, baseUrl: string): string {
  return domain === null ? `${baseUrl}/status/${slug}` : `https://${domain}`
}

export function pageJson(row: PageRow, overall: OverallStatus, baseUrl: string): Json<Static<typeof StatusPage>> {
  const head = JSON.stringify({
    id: row.id,
    name: row.name,
    slug: row.slug,
    url: addressOf(row, baseUrl),
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
