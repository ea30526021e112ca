import { parseStored } from '../../../lib/json.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import { type PageSettings, parseSettings, publicUrlOf } from '../../status-pages/render.ts'
import type { Section } from '../../status-pages/schema.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'

/** What reading and rendering need to know of a page. */
export interface PageInfo extends PageSettings {
  readonly key: PageKey
  readonly id: string
  readonly name: string
  /** Its public URL. */
  readonly url: string
  /** Texts and formats in its language and time zone. */
  readonly t: Translator
}

export function pageInfoOf(row: StoredPage, baseUrl: string): PageInfo {
  const settings = parseSettings(row.settings)
  return {
    ...settings,
    key: { orgId: row.org_id, pageId: row.id },
    id: row.id,
    name: row.name,
    url: publicUrlOf(row.slug, row.custom_domain, baseUrl),
    t: translatorFor(settings.locale, settings.timezone),
  }
}

export function sectionsOf(row: StoredPage): readonly Section[] {
  return parseStored(row.sections)
}

/** Names of the monitors on a page by id: the display name if the page sets one, else the monitor's name. */
export type DisplayNames = ReadonlyMap<string, string>

/** `monitors` are those of the page, if they were read already. */
export function* displayNamesOn(
  row: StoredPage,
  monitors?: Iterable<{ readonly id: string; readonly name: string }>,
): DbWork<DisplayNames> {
  const names = new Map<string, string>()
  for (const { id, name } of monitors ?? (yield* monitorsOf({ orgId: row.org_id, pageId: row.id }))) names.set(id, name)
  for (const section of sectionsOf(row)) {
    for (const { monitorId, displayName } of section.monitors) {
      if (displayName !== null && names.has(monitorId)) names.set(monitorId, displayName)
    }
  }
  return names
}

/** What a function reads for a page. */
export type ViewOf<F> = F extends (...args: never[]) => Generator<infer _Step, infer View, infer _Result>
  ? NonNullable<View>
  : never
