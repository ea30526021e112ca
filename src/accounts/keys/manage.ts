import Type, { type Static } from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { ApiError, invalid, notFound } from '../../contract/errors.ts'
import {
  body,
  Deleted,
  defaulted,
  nullable,
  oneOf,
  resource,
  singleLine,
  TimestampInput,
} from '../../contract/schema.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { createKey as insertKey, type NewKey } from './create.ts'
import { type KeyRow, keyColumns, keysOf, keyWithId, liveKeysOfCreator } from './queries.ts'
import { renderKey } from './render.ts'
import { revokeKeyOf } from './revoke.ts'
import { CreatedKey, Key, KeyParams } from './schema.ts'

/** Includes revoked keys, which stay listed. */
const MAX_KEYS = 500
const MAX_OVERLAP_SECONDS = (30 * DAY_MS) / SECOND_MS

const common = { access: 'write', tag: 'API keys' } as const
const ofKey = { ...common, params: KeyParams, errors: ['not_found', 'conflict'] } as const

export const listKeys = appOperation('listKeys', {
  ...common,
  access: 'read',
  method: 'GET',
  path: '/keys',
  summary: 'List API keys',
  answer: {
    status: 200,
    schema: resource('KeyList', { data: Type.Array(Key) }),
    description: 'Newest first, including revoked keys',
  },
  *handle({ caller, now }) {
    const keys = yield* keysOf(caller.orgId, '', MAX_KEYS)
    return { data: keys.toReversed().map((key) => renderKey(key, now)) }
  },
})

/** For those who leave, who may no longer be allowed to list all keys. */
export const listOwnKeys = appOperation('listOwnKeys', {
  ...common,
  access: 'read',
  method: 'GET',
  path: '/keys/own',
  summary: 'List the API keys that you created',
  answer: {
    status: 200,
    schema: resource('OwnKeyList', { data: Type.Array(Key) }),
    description: 'Active keys',
  },
  *handle({ caller, now }) {
    return { data: (yield* liveKeysOfCreator(caller.orgId, caller.userId, now)).map((key) => renderKey(key, now)) }
  },
})

export const createKey = appOperation('createKey', {
  ...common,
  method: 'POST',
  path: '/keys',
  summary: 'Create an API key',
  body: body('CreateKey', {
    name: singleLine({ minLength: 1, maxLength: 120, description: 'What the key is for' }),
    access: oneOf(['full', 'read-only']),
    expiresAt: defaulted(nullable(TimestampInput), null),
  }),
  answer: { status: 201, schema: CreatedKey, description: 'The key, shown only once' },
  errors: ['conflict'],
  *handle({ caller, now }, { body: { name, access, expiresAt: until } }) {
    const expiresAt = until === null ? null : parseTimestamp(until)
    if (expiresAt !== null && expiresAt <= now) throw invalid([{ path: 'expiresAt', message: 'must be in the future' }])
    return yield* issueKey(caller, { name, access, expiresAt }, now)
  },
})

const setExpiry = statement(({ orgId, id, until }: { orgId: string; id: string; until: number }) =>
  q.updateTable('api_keys').set({ expires_at: until }).where('org_id', '=', orgId).where('id', '=', id),
)

export const replaceKey = appOperation('replaceKey', {
  ...ofKey,
  method: 'POST',
  path: '/keys/:keyId/replace',
  summary: 'Replace an API key',
  description: 'Creates a key with the same name, access and expiry. The old key keeps working for the chosen time.',
  body: body('ReplaceKey', {
    overlapSeconds: defaulted(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }), DAY_MS / SECOND_MS),
  }),
  bodyRequired: false,
  answer: { status: 201, schema: CreatedKey, description: 'The new key, shown only once' },
  *handle({ caller, now }, { params: { keyId }, body: { overlapSeconds = DAY_MS / SECOND_MS } }) {
    const { name, access, expires_at: expiresAt } = yield* requireLiveKey(caller.orgId, keyId, now)
    const until = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * SECOND_MS)
    yield* first(setExpiry, { orgId: caller.orgId, id: keyId, until })
    return yield* issueKey(caller, { name, access, expiresAt }, now)
  },
})

interface KeyChange {
  orgId: string
  id: string
  at: number | null
}

const setDisabled = statement(({ orgId, id, at }: KeyChange) =>
  q
    .updateTable('api_keys')
    .set({ disabled_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null),
)

export const revokeKey = appOperation('revokeKey', {
  ...ofKey,
  method: 'DELETE',
  path: '/keys/:keyId',
  summary: 'Revoke an API key',
  description: 'Permanently revokes the key; its next request is refused.',
  answer: { status: 200, schema: Deleted, description: 'The key was revoked' },
  *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
    if (!(yield* revokeKeyOf(orgId, id, now))) throw notFound('key')
    return { data: { id } }
  },
})

export const disableKey = enablingOperation('disable')
export const enableKey = enablingOperation('enable')

function enablingOperation(word: 'enable' | 'disable') {
  return appOperation(`${word}Key`, {
    ...ofKey,
    method: 'POST',
    path: `/keys/:keyId/${word}`,
    summary: word === 'enable' ? 'Enable an API key' : 'Disable an API key',
    answer: { status: 200, schema: Key, description: 'The updated key' },
    *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
      yield* requireLiveKey(orgId, id, now)
      yield* run(setDisabled, { orgId, id, at: word === 'enable' ? null : now })
      const key = yield* keyWithId(id)
      if (key === undefined) throw notFound('key')
      return renderKey(key, now)
    },
  })
}

const byId = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('api_keys').select(keyColumns).where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
)

/** A key of this organization that is neither revoked nor expired; locked until the end of the transaction. */
function* requireLiveKey(orgId: string, id: string, now: number): DbWork<KeyRow> {
  const key = yield* first(byId, { orgId, id })
  if (key === undefined) throw notFound('key')
  if (key.revoked_at !== null) throw new ApiError('conflict', 'The key is revoked and cannot be changed')
  if (key.expires_at !== null && key.expires_at <= now) throw new ApiError('conflict', 'The key has expired')
  return key
}

const membership = statement(({ orgId, userId }: { orgId: string; userId: string }) =>
  q.selectFrom('members').select('role').where('org_id', '=', orgId).where('user_id', '=', userId).forUpdate(),
)

/** The row lock makes a removal of the creator wait, so that it finds this key. */
function* issueKey(
  { orgId, userId }: UserCaller,
  settings: Pick<NewKey, 'name' | 'access' | 'expiresAt'>,
  now: number,
): DbWork<Static<typeof CreatedKey>> {
  if ((yield* first(membership, { orgId, userId })) === undefined) {
    throw new ApiError('forbidden', 'You are no longer a member of this organization')
  }
  if ((yield* keysOf(orgId, '', MAX_KEYS)).length >= MAX_KEYS) {
    throw new ApiError('conflict', `The limit of ${MAX_KEYS} keys per organization is reached, including revoked keys`)
  }
  const { key, secret } = yield* insertKey({ orgId, createdBy: userId, ...settings }, now)
  const created = yield* keyWithId(key.id)
  if (created === undefined) throw notFound('key')
  return { ...renderKey(created, now), key: secret }
}
