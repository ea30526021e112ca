import { type DbWork, execute, q } from '../../storage/query.ts'

/** Which of these ids are status pages. Locks them until the end of the transaction, so that they cannot be deleted. */
export function* lockStatusPages(orgId: string, ids: readonly string[]): DbWork<ReadonlySet<string>> {
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
