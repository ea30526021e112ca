import { all, type DbWork, q, run, statement } from '../../storage/query.ts'
import { withoutMonitor } from './sections.ts'

const pagesShowing = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('status_pages')
    .select(['id', 'sections'])
    .where('org_id', '=', orgId)
    .where('id', 'in', (of) =>
      of.selectFrom('status_page_monitors').select('page_id').where('org_id', '=', orgId).where('num', '=', num),
    )
    .orderBy('id')
    .forUpdate(),
)

const saveSections = statement((p: { orgId: string; id: string; sections: string; now: number }) =>
  q
    .updateTable('status_pages')
    .set({ sections: p.sections, updated_at: p.now })
    .where('org_id', '=', p.orgId)
    .where('id', '=', p.id),
)

const unlinkMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

const unselectMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('status_page_selected').where('org_id', '=', orgId).where('num', '=', num),
)

/** Removes a monitor from every page. The caller has locked the monitor and is about to delete it. */
export function* removeMonitorFromPages(
  orgId: string,
  monitor: { num: number; id: string },
  now: number,
): DbWork<void> {
  const { num } = monitor
  const pages = yield* all(pagesShowing, { orgId, num })
  for (const { id, sections } of pages) {
    const left = JSON.stringify(withoutMonitor(JSON.parse(sections), monitor.id))
    // A monitor that only a selector matched is not in the sections.
    if (left !== sections) yield* run(saveSections, { orgId, id, sections: left, now })
  }
  if (pages.length === 0) return
  yield* run(unselectMonitor, { orgId, num })
  yield* run(unlinkMonitor, { orgId, num })
}
