import { parseStored } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'

/** An organization was refused an old address, because a monitor of another one has it. */
interface AddressDispute {
  readonly orgId: string
  readonly monitorId: string
  /** Of the address. */
  readonly hash: string
  readonly at: number
}

/** In one row, so that refused requests cannot fill a table. */
const SETTING = 'old_address_disputes'
const MAX_DISPUTES = 20

const stored = () => q.selectFrom('settings').select('value').where('name', '=', SETTING)

/** Keeps the newest ones, for `pharos doctor`. */
export function* recordAddressDispute(dispute: AddressDispute): DbWork<void> {
  const empty = q.insertInto('settings').values({ name: SETTING, value: '[]' })
  yield* execute(empty.onConflict((on) => on.column('name').doNothing()))
  const [row] = yield* execute(stored().forUpdate())
  const isSame = ({ orgId, hash }: AddressDispute) => orgId === dispute.orgId && hash === dispute.hash
  const others = parse(row?.value).filter((one) => !isSame(one))
  const value = JSON.stringify([dispute, ...others].slice(0, MAX_DISPUTES))
  yield* execute(q.updateTable('settings').set({ value }).where('name', '=', SETTING))
}

interface OpenDispute {
  readonly wantedBy: Place
  readonly heldBy: Place
  readonly at: string
}

interface Place {
  readonly monitorId: string
  /** The slug. */
  readonly organization: string
}

/** Those whose address still leads to a monitor of another organization, the newest first. */
export function* addressDisputes(): DbWork<readonly OpenDispute[]> {
  const [row] = yield* execute(stored())
  const open: OpenDispute[] = []
  for (const { orgId, monitorId, hash, at } of parse(row?.value)) {
    const [holder] = yield* execute(
      q
        .selectFrom('monitors as m')
        .innerJoin('organizations as o', 'o.id', 'm.org_id')
        .select(['m.id', 'm.org_id', 'o.slug'])
        .where('m.legacy_hash', '=', hash),
    )
    const [wanting] = yield* execute(q.selectFrom('organizations').select('slug').where('id', '=', orgId))
    if (holder === undefined || wanting === undefined || holder.org_id === orgId) continue
    const wantedBy = { monitorId, organization: wanting.slug }
    open.push({ wantedBy, heldBy: { monitorId: holder.id, organization: holder.slug }, at: isoTimestamp(at) })
  }
  return open
}

function parse(value = '[]'): readonly AddressDispute[] {
  return parseStored(value)
}
