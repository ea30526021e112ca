import { randomBytes } from 'node:crypto'
import { sealHeartbeatToken, type TokenOwner } from '../../events/heartbeat-token.ts'
import type { Sealer } from '../../lib/seal.ts'
import { hashToken } from '../../lib/tokens.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'

/** The secret part of a heartbeat URL, as the monitor's row stores it. A signal is found by the hash. */
export interface StoredToken {
  readonly hash: string
  readonly sealed: string
}

export function newHeartbeatToken(owner: TokenOwner, sealer: Sealer): StoredToken & { readonly token: string } {
  const token = randomBytes(18).toString('base64url')
  return { token, hash: hashToken(token), sealed: sealHeartbeatToken(token, owner, sealer) }
}

const save = statement((t: { orgId: string; num: number; hash: string | null; sealed: string | null }) =>
  q
    .updateTable('monitors')
    .set({ heartbeat_hash: t.hash, heartbeat_token: t.sealed })
    .where('org_id', '=', t.orgId)
    .where('num', '=', t.num),
)

/** The earlier URL stops working. Null for a monitor of another type, which has no URL. */
export function* saveToken(orgId: string, num: number, token: StoredToken | null): DbWork<void> {
  yield* run(save, { orgId, num, hash: token?.hash ?? null, sealed: token?.sealed ?? null })
}
