import { newId } from '../../lib/ids.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { KeyRow } from './queries.ts'
import { hashKey, hintOf, newKey } from './secret.ts'

export interface NewKey {
  readonly orgId: string
  readonly name: string
  readonly access: 'full' | 'read-only'
  readonly expiresAt: number | null
  /** Id of the user; absent for a key that the operator creates. */
  readonly createdBy?: string
  /** Chosen by the operator; random by default. */
  readonly secret?: string
}

/** The secret is returned here only; the database stores its hash. */
export function* insertKey(
  { orgId, name, access, expiresAt, createdBy, secret = newKey() }: NewKey,
  now: number,
): DbWork<{ key: KeyRow; secret: string }> {
  const key: KeyRow = {
    id: newId('key', now),
    org_id: orgId,
    name,
    hint: hintOf(secret),
    access,
    expires_at: expiresAt,
    disabled_at: null,
    revoked_at: null,
    last_used_at: null,
    last_used_address: null,
    created_by: createdBy ?? null,
    created_at: now,
  }
  yield* execute(q.insertInto('api_keys').values({ ...key, hash: hashKey(secret) }))
  return { key, secret }
}
