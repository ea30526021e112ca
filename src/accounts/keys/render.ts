import type { Static } from 'typebox'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { KeyRow, ListedKeyRow } from './queries.ts'
import type { Key } from './schema.ts'

export function renderKey(key: ListedKeyRow, now: number): Static<typeof Key> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    access: key.access,
    status: keyStatus(key, now),
    expiresAt: isoTimestampOrNull(key.expires_at),
    lastUsedAt: isoTimestampOrNull(key.last_used_at),
    lastUsedAddress: key.last_used_address,
    createdBy: creatorOf(key),
    createdAt: isoTimestamp(key.created_at),
  }
}

function creatorOf({ created_by: userId, creator_name: name, creator_role: role }: ListedKeyRow) {
  return userId === null ? null : { userId, name: name ?? userId, isMember: role !== null }
}

export function keyStatus(key: KeyRow, now: number): 'active' | 'disabled' | 'expired' | 'revoked' {
  if (key.revoked_at !== null) return 'revoked'
  if (key.disabled_at !== null) return 'disabled'
  return key.expires_at !== null && key.expires_at <= now ? 'expired' : 'active'
}
