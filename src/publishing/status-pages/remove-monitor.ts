import { all, type DbWork, execute, q, run, statement } from '../../storage/query.ts'
import { withoutMonitor } from './sections.ts'

/** Which of these pages there are. They stay until the end of the transaction. */
export function* pagesNamed(orgId: string, ids: readonly string[]): DbWork<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = yield* execute(
    q
      .selectFrom('status_pages')
      .select('id')
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forKeyShare(),
  )
  return new Set(rows.map(({ id }) => id))
}

const showing = statement(({ orgId, num }: { orgId: string; num: number }) =>
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

const unlink = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('status_page_monitors').where('org_id', '=', orgId).where('num', '=', num),
)

/** Takes a monitor that is about to be deleted, and is held for it, off every page. */
export function* takeOffPages(orgId: string, monitor: { num: number; id: string }, now: number): DbWork<void> {
  const { num } = monitor
  const pages = yield* all(showing, { orgId, num })
  for (const { id, sections } of pages) {
    const left = JSON.stringify(withoutMonitor(JSON.parse(sections), monitor.id))
    yield* run(saveSections, { orgId, id, sections: left, now })
  }
  if (pages.length > 0) yield* run(unlink, { orgId, num })
}
