import type { Sealer } from '../lib/seal.ts'
import { isShort } from '../monitoring/monitor-options/legacy-address.ts'
import { openOptions } from '../monitoring/monitor-settings/secrets.ts'
import { addressDisputes } from '../monitoring/monitors/address-disputes.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import type { Finding } from './judge-settings.ts'

const check = 'old address'

/** Addresses of other tools that may be in the wrong hands: two organizations want one, or it can be guessed. */
export function* judgeOldAddresses(sealer: Sealer): DbWork<readonly Finding[]> {
  return [...(yield* disputed()), ...(yield* short(sealer))]
}

function* disputed(): DbWork<readonly Finding[]> {
  const disputes = yield* addressDisputes()
  return disputes.map(({ wantedBy, heldBy, at }) => ({
    check,
    state: 'warning',
    message:
      `${heldBy.monitorId} of ${heldBy.organization} takes signals at an old address that ${wantedBy.organization} wanted for ` +
      `${wantedBy.monitorId} at ${at}; ask both whose it is, and have the other remove it ` +
      `(pharos monitors remove-legacy-address ${heldBy.monitorId})`,
  }))
}

function* short(sealer: Sealer): DbWork<readonly Finding[]> {
  const rows = yield* execute(
    q
      .selectFrom('monitors as m')
      .innerJoin('organizations as o', 'o.id', 'm.org_id')
      .select(['m.id', 'm.org_id', 'm.options', 'm.secrets', 'o.slug'])
      .where('m.legacy_hash', 'is not', null)
      .orderBy('m.id'),
  )
  return rows
    .filter((row) => {
      const { legacyAddress } = openOptions(row, { orgId: row.org_id, id: row.id }, sealer)
      return legacyAddress !== undefined && isShort(legacyAddress)
    })
    .map(({ id, slug }) => ({
      check,
      state: 'warning',
      message: `${id} of ${slug} takes signals at an old address that others can guess; remove it (pharos monitors remove-legacy-address ${id}) and let the job call the URL of the monitor`,
    }))
}
