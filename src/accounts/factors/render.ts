import type { Static } from 'typebox'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { PasskeyTable } from '../../storage/schema/factors.ts'
import type { Passkey } from './schema.ts'

export function renderPasskey({
  id,
  name,
  created_at: createdAt,
  last_used_at: usedAt,
}: PasskeyTable): Static<typeof Passkey> {
  return { id, name, createdAt: isoTimestamp(createdAt), lastUsedAt: isoTimestampOrNull(usedAt) }
}
