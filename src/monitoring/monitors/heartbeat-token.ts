import { randomBytes } from 'node:crypto'
import { sealHeartbeatToken, type TokenOwner } from '../../events/heartbeat-token.ts'
import type { Sealer } from '../../lib/seal.ts'
import { hashToken } from '../../lib/tokens.ts'

/** The secret part of a heartbeat URL, as the monitor's row stores it. A signal is found by the hash. */
export interface StoredToken {
  readonly hash: string
  readonly sealed: string
}

export function newHeartbeatToken(owner: TokenOwner, sealer: Sealer): StoredToken & { readonly token: string } {
  const token = randomBytes(18).toString('base64url')
  return { token, hash: hashToken(token), sealed: sealHeartbeatToken(token, owner, sealer) }
}
