import { parseStored } from '../../lib/json.ts'
import { parseSelector } from '../../lib/selector.ts'
import { selectedPage, selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PageKey } from '../custom-domains/claims.ts'
import { linkMonitors } from './queries.ts'
import { MAX_ENTRIES, type Section } from './schema.ts'

/** Monitors that a section shows by its selector; as many as can be chosen. */
export const MAX_SELECTED = 500

export function* selectorsOf({ orgId, pageId }: PageKey): DbWork<readonly { section: string; selector: string }[]> {
  return yield* execute(
    q
      .selectFrom('status_page_selectors')
      .select(['section', 'selector'])
      .where('org_id', '=', orgId)
      .where('page_id', '=', pageId)
      .orderBy('section'),
  )
}

/**
 * Saves which monitors the selectors of a page match now, and which monitors it shows altogether. The page is locked;
 * `sections` is its JSON. Selectors of sections that no longer exist are removed.
 */
export function* showSelected(page: PageKey, sections: string): DbWork<void> {
  const parsed: readonly Section[] = parseStored(sections)
  const names = new Set(parsed.map(({ name }) => name))
  const selectors = yield* selectorsOf(page)
  const { orgId, pageId } = page
  const before = yield* execute(
    q
      .selectFrom('status_page_selected')
      .select('num')
      .where('org_id', '=', orgId)
      .where('page_id', '=', pageId)
      .limit(1),
  )
  // Most pages have no selectors.
  if (selectors.length + before.length === 0) return
  const removed = selectors.map(({ section }) => section).filter((section) => !names.has(section))
  if (removed.length > 0) {
    yield* execute(
      q
        .deleteFrom('status_page_selectors')
        .where('org_id', '=', orgId)
        .where('page_id', '=', pageId)
        .where('section', 'in', removed),
    )
  }
  const chosen = yield* numsOf(orgId, parsed)
  const selectorOf = new Map(selectors.map(({ section, selector }) => [section, selector]))
  const selected = yield* selectedIn(orgId, parsed, selectorOf, chosen)
  yield* execute(q.deleteFrom('status_page_selected').where('org_id', '=', orgId).where('page_id', '=', pageId))
  if (selected.length > 0) {
    const rows = selected.map((row) => ({ org_id: orgId, page_id: pageId, ...row }))
    yield* execute(q.insertInto('status_page_selected').values(rows))
  }
  yield* execute(q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('page_id', '=', pageId))
  yield* linkMonitors(orgId, pageId, [...chosen.values(), ...selected.map(({ num }) => num)])
}

/** What the selectors add to the sections, in order, until the page is full. `chosen` has the numbers of monitors by id. */
function* selectedIn(
  orgId: string,
  sections: readonly Section[],
  selectors: ReadonlyMap<string, string>,
  chosen: ReadonlyMap<string, number>,
): DbWork<readonly { section: string; num: number }[]> {
  let room = MAX_ENTRIES - sections.reduce((sum, { monitors }) => sum + monitors.length, 0)
  const added: { section: string; num: number }[] = []
  const left = new Map(selectors)
  for (const { name, monitors } of sections) {
    const selector = left.get(name)
    // Of several sections of one name, the first has the selector.
    left.delete(name)
    if (selector === undefined || room <= 0) continue
    const there = new Set(monitors.map(({ monitorId }) => chosen.get(monitorId)))
    const selection = yield* selectMonitors(orgId, parseSelector(selector))
    const matching = yield* selectedPage(selection, { limit: MAX_SELECTED, offset: 0 })
    const nums = matching.filter((num) => !there.has(num)).slice(0, room)
    for (const num of nums) added.push({ section: name, num })
    room -= nums.length
  }
  return added
}

/** Well below the parameter limit of both engines. */
const IDS_AT_ONCE = 500

/** The numbers of the chosen monitors by id. Without a lock: other changes of labels may hold them and wait for this one. */
function* numsOf(orgId: string, sections: readonly Section[]): DbWork<ReadonlyMap<string, number>> {
  const ids = [...new Set(sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId)))]
  const nums = new Map<string, number>()
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const some = ids.slice(from, from + IDS_AT_ONCE)
    const rows = yield* execute(
      q.selectFrom('monitors').select(['id', 'num']).where('org_id', '=', orgId).where('id', 'in', some),
    )
    for (const { id, num } of rows) nums.set(id, num)
  }
  return nums
}

/** The sections with the monitors that their selectors match, after the chosen ones, in order of name. */
export function* sectionsShown({ orgId, pageId }: PageKey, sections: readonly Section[]): DbWork<readonly Section[]> {
  const rows = yield* execute(
    q
      .selectFrom('status_page_selected as s')
      .innerJoin('monitors as m', 'm.num', 's.num')
      .select(['s.section', 'm.id'])
      .where('s.org_id', '=', orgId)
      .where('s.page_id', '=', pageId)
      .orderBy('m.name_key')
      .orderBy('m.num'),
  )
  const selected = Map.groupBy(rows, ({ section }) => section)
  if (selected.size === 0) return sections
  return sections.map((section, i) => {
    if (sections.findIndex(({ name }) => name === section.name) < i) return section
    const chosen = new Set(section.monitors.map(({ monitorId }) => monitorId))
    const added = (selected.get(section.name) ?? []).filter(({ id }) => !chosen.has(id))
    return {
      ...section,
      monitors: [...section.monitors, ...added.map(({ id }) => ({ monitorId: id, displayName: null }))],
    }
  })
}
