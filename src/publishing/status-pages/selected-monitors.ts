import { parseSelector } from '../../lib/selector.ts'
import { selectedPage, selectMonitors } from '../../storage/labels/select.ts'
import { all, type DbWork, execute, q, runEach, statement } from '../../storage/query.ts'
import { MAX_ENTRIES, type Section } from './schema.ts'

export interface PageKey {
  readonly orgId: string
  readonly pageId: string
}

/** Monitors that a section shows by its selector; as many as can be chosen. */
export const MAX_SELECTED = 500

const ofPage = statement(({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_selectors')
    .select(['section', 'selector'])
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .orderBy('section'),
)

export function* selectorsOf(page: PageKey): DbWork<readonly { section: string; selector: string }[]> {
  return yield* all(ofPage, page)
}

interface SelectedRow extends PageKey {
  readonly section: string
  readonly num: number
}

const selectedRows = statement(({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_selected')
    .select(['section', 'num'])
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId),
)
const insertSelected = statement(({ orgId, pageId, section, num }: SelectedRow) =>
  q.insertInto('status_page_selected').values({ org_id: orgId, page_id: pageId, section, num }),
)
const removeSelected = statement(({ orgId, pageId, section, num }: SelectedRow) =>
  q
    .deleteFrom('status_page_selected')
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('section', '=', section)
    .where('num', '=', num),
)
const removeSelector = statement(({ orgId, pageId, section }: PageKey & { section: string }) =>
  q
    .deleteFrom('status_page_selectors')
    .where('org_id', '=', orgId)
    .where('page_id', '=', pageId)
    .where('section', '=', section),
)

const linkedNums = statement(({ orgId, pageId }: PageKey) =>
  q.selectFrom('status_page_monitors').select('num').where('org_id', '=', orgId).where('page_id', '=', pageId),
)
const link = statement(({ orgId, pageId, num }: PageKey & { num: number }) =>
  q.insertInto('status_page_monitors').values({ org_id: orgId, page_id: pageId, num }),
)
const unlink = statement(({ orgId, pageId, num }: PageKey & { num: number }) =>
  q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('page_id', '=', pageId).where('num', '=', num),
)

/**
 * Saves which monitors the selectors of a page match now, and which monitors it shows altogether. The page is locked;
 * `sections` is its JSON. Selectors of sections that no longer exist are removed.
 */
export function* showSelected(page: PageKey, sections: string): DbWork<void> {
  const parsed: readonly Section[] = JSON.parse(sections)
  const names = new Set(parsed.map(({ name }) => name))
  const selectors = yield* selectorsOf(page)
  const before = yield* all(selectedRows, page)
  // Most pages have no selectors.
  if (selectors.length + before.length === 0) return
  yield* runEach(
    removeSelector,
    selectors.filter(({ section }) => !names.has(section)).map(({ section }) => ({ ...page, section })),
  )
  const chosen = yield* numsOf(page.orgId, parsed)
  const after = yield* selectedIn(
    page.orgId,
    parsed,
    new Map(selectors.map((each) => [each.section, each.selector])),
    chosen,
  )
  const keyOf = ({ section, num }: { section: string; num: number }) => `${num} ${section}`
  const [known, wanted] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  const rowOf = (row: { section: string; num: number }) => ({ ...page, ...row })
  yield* runEach(removeSelected, before.filter((row) => !wanted.has(keyOf(row))).map(rowOf))
  yield* runEach(insertSelected, after.filter((row) => !known.has(keyOf(row))).map(rowOf))
  yield* saveLinks(page, new Set([...chosen.values(), ...after.map(({ num }) => num)]))
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

function* saveLinks(page: PageKey, shown: ReadonlySet<number>): DbWork<void> {
  const linked = new Set((yield* all(linkedNums, page)).map(({ num }) => num))
  const rowOf = (num: number) => ({ ...page, num })
  yield* runEach(unlink, [...linked.difference(shown)].map(rowOf))
  yield* runEach(link, [...shown.difference(linked)].map(rowOf))
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

const selectedOnPage = statement(({ orgId, pageId }: PageKey) =>
  q
    .selectFrom('status_page_selected as s')
    .innerJoin('monitor_list as l', (on) => on.onRef('l.org_id', '=', 's.org_id').onRef('l.num', '=', 's.num'))
    .innerJoin('monitors as m', 'm.num', 's.num')
    .select(['s.section', 'm.id'])
    .where('s.org_id', '=', orgId)
    .where('s.page_id', '=', pageId)
    .orderBy('l.name_key')
    .orderBy('l.num'),
)

/** The sections with the monitors that their selectors match, after the chosen ones, in order of name. */
export function* sectionsShown(page: PageKey, sections: readonly Section[]): DbWork<readonly Section[]> {
  const selected = Map.groupBy(yield* all(selectedOnPage, page), ({ section }) => section)
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
