import { parseStored } from '../../lib/json.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { withoutMonitors } from './sections.ts'

const pagesShowing = (orgId: string, nums: readonly number[]) =>
  q
    .selectFrom('status_pages')
    .select(['id', 'sections'])
    .where('org_id', '=', orgId)
    .where('id', 'in', (of) =>
      of.selectFrom('status_page_monitors').select('page_id').where('org_id', '=', orgId).where('num', 'in', nums),
    )
    .orderBy('id')
    .forUpdate()

/** Removes monitors from every page. The caller has locked the monitors and is about to delete them. */
export function* removeMonitorsFromPages(
  orgId: string,
  monitors: readonly { readonly num: number; readonly id: string }[],
  now: number,
): DbWork<void> {
  const nums = monitors.map(({ num }) => num)
  const pages = yield* execute(pagesShowing(orgId, nums))
  if (pages.length === 0) return
  const deleted = new Set(monitors.map(({ id }) => id))
  for (const { id, sections } of pages) {
    const left = JSON.stringify(withoutMonitors(parseStored(sections), deleted))
    // A monitor that only a selector matched is not in the sections.
    if (left === sections) continue
    const page = q.updateTable('status_pages').set({ sections: left, updated_at: now }).where('org_id', '=', orgId)
    yield* execute(page.where('id', '=', id))
  }
  for (const table of ['status_page_selected', 'status_page_monitors'] as const) {
    yield* execute(q.deleteFrom(table).where('org_id', '=', orgId).where('num', 'in', nums))
  }
}
