import { boundedName, boundedText } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import type { Groups } from './groups.ts'
import { MONITOR } from './monitors.ts'
import { isSet, numberOf, objectWith, type Row, type Tables, textOf } from './tables.ts'
import type { Fields } from './web.ts'

const MAX_SECTIONS = 50
const MAX_MONITORS = 500

export const PAGE = 'status page'

const themes: Readonly<Record<string, string>> = { light: 'LIGHT', dark: 'DARK' }

export function importPages(collection: Collection, tables: Tables, groups: Groups): void {
  collection.readEach(tables.status_page, objectWith(PAGE, 'title'), (row, object) => {
    const losses: string[] = []
    collection.map(object, 'statusPages', fieldsOf(row, collection, tables, groups, losses), losses)
  })
}

function fieldsOf(row: Row, collection: Collection, tables: Tables, groups: Groups, losses: string[]): Fields {
  const id = numberOf(row, 'id')
  const description = textOf(row, 'description').trim()
  const [domain, ...others] = tables.status_page_cname
    .filter((one) => numberOf(one, 'status_page_id') === id)
    .map((one) => textOf(one, 'domain'))
  if (others.length > 0) losses.push(`A page has one domain: ${others.join(', ')} is left out.`)
  const theme = themes[textOf(row, 'theme')]
  addLosses(row, losses)
  return {
    name: boundedName(textOf(row, 'title'), 'Status', losses),
    slug: textOf(row, 'slug').toLowerCase(),
    ...(domain !== undefined && { customDomain: domain }),
    ...(description !== '' && { description: boundedText(description, 1000, 'description', losses) }),
    ...(isSet(row, 'published') ? {} : { published: false }),
    ...(theme !== undefined && { theme }),
    ...(numberOf(row, 'search_engine_index') === 0 && { hideFromSearch: true }),
    ...(/^https?:/.test(textOf(row, 'icon')) && { logoUrl: textOf(row, 'icon') }),
    sections: sectionsOf(id, collection, tables, groups, losses),
  }
}

function addLosses(row: Row, losses: string[]): void {
  const has = (column: string) => textOf(row, column).trim() !== ''
  if (has('custom_css')) losses.push('The custom CSS is not kept.')
  if (has('footer_text')) losses.push('The text at the bottom is not kept.')
  if (has('analytics_id') || has('google_analytics_tag_id'))
    losses.push('Visits are not reported to an analytics service.')
  if (isSet(row, 'show_certificate_expiry')) losses.push('The expiry of certificates is not shown.')
  if (/^(data:|\/upload)/.test(textOf(row, 'icon'))) losses.push('The logo is not kept: set its URL again.')
}

/** A group of monitors that is on the page becomes a section of its own. */
function sectionsOf(
  pageId: number | undefined,
  collection: Collection,
  tables: Tables,
  groups: Groups,
  losses: string[],
) {
  const missing = new Set<string>()
  const entriesOf = (ids: readonly number[]) => {
    const found = ids.flatMap((id) => {
      const key = collection.keyOf(MONITOR, String(id))
      if (key === undefined) missing.add(groups.nameOf(id))
      return key ?? []
    })
    return [...new Set(found)].map((monitor) => ({ monitor }))
  }
  const sections = inOrder(tables.group.filter((group) => numberOf(group, 'status_page_id') === pageId)).flatMap(
    (group) => {
      const links = inOrder(tables.monitor_group.filter((link) => numberOf(link, 'group_id') === numberOf(group, 'id')))
      if (links.some((link) => isSet(link, 'send_url')))
        losses.push(`Monitors in "${textOf(group, 'name')}" have no links.`)
      const ids = links.map((link) => numberOf(link, 'monitor_id') ?? 0)
      const inner = ids.filter(groups.isGroup).map((id) => ({
        name: boundedName(groups.nameOf(id), 'Group', losses),
        monitors: entriesOf(groups.monitorsIn(id)),
      }))
      const own = {
        name: boundedName(textOf(group, 'name'), 'Services', losses),
        monitors: entriesOf(ids.filter((id) => !groups.isGroup(id))),
      }
      return own.monitors.length === 0 && inner.length > 0 ? inner : [own, ...inner]
    },
  )
  if (missing.size > 0) losses.push(`Without the monitors that are not imported: ${[...missing].join(', ')}.`)
  if (sections.length > MAX_SECTIONS)
    losses.push(`Only the first ${MAX_SECTIONS} of ${sections.length} groups are shown.`)
  if (sections.some(({ monitors }) => monitors.length > MAX_MONITORS))
    losses.push(`Only the first ${MAX_MONITORS} monitors of a group are shown.`)
  return sections
    .slice(0, MAX_SECTIONS)
    .map(({ name, monitors }) => ({ name, monitors: monitors.slice(0, MAX_MONITORS) }))
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (numberOf(a, 'weight') ?? 0) - (numberOf(b, 'weight') ?? 0))
}
