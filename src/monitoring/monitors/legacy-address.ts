import { invalid } from '../../contract/errors.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'

/** Of any organization: an old address leads to one monitor. */
const otherWith = statement(({ num, hash }: { num: number; hash: string }) =>
  q.selectFrom('monitors').select('num').where('legacy_hash', '=', hash).where('num', '<>', num),
)

const save = statement((l: { orgId: string; num: number; hash: string | null }) =>
  q.updateTable('monitors').set({ legacy_hash: l.hash }).where('org_id', '=', l.orgId).where('num', '=', l.num),
)

/** Lets signals on an old address find the monitor; null ends that. */
export function* saveLegacyHash(orgId: string, num: number, hash: string | null): DbWork<void> {
  if (hash !== null && (yield* first(otherWith, { num, hash })) !== undefined) {
    throw invalid([{ path: 'token', message: 'is the old address of another monitor already' }])
  }
  yield* run(save, { orgId, num, hash })
}
