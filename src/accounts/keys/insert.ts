import { newId } from '../../lib/ids.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { ApiKeyTable } from '../../storage/schema/organizations.ts'
import type { KeyRow } from './queries.ts'
import { hashKey, hintOf, newKey } from './secret.ts'

const insert = statement((key: ApiKeyTable) =>
  q.insertInto('api_keys').values({
    id: key.id,
    org_id: key.org_id,
    name: key.name,
    hash: key.hash,
    hint: key.hint,
    access: key.access,
    expires_at: key.expires_at,
    disabled_at: key.disabled_at,
    revoked_at: key.revoked_at,
    last_used_at: key.last_used_at,
    last_used_address: key.last_used_address,
    created_by: key.created_by,
    created_at: key.created_at,
  }),
)

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
  yield* run(insert, { ...key, hash: hashKey(secret) })
  return { key, secret }
}
