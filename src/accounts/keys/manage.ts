import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { ApiError, invalid, notFound } from '../../contract/errors.ts'
import { body, Deleted, defaulted, nullable, oneOf, resource, TimestampInput } from '../../contract/schema.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { createKey as insertKey } from './create.ts'
import { type KeyRow, keyColumns, keysOf } from './queries.ts'
import { renderKey } from './render.ts'
import { CreatedKey, Key, KeyParams } from './schema.ts'

/** Revoked ones count: they are kept so that people see what was there. */
const MOST_KEYS = 500
const LONGEST_OVERLAP_SECONDS = (30 * DAY_MS) / SECOND_MS

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
    description: 'The newest first, revoked ones included',
  },
  *handle({ caller, now }) {
    const keys = yield* keysOf(caller.orgId, '', MOST_KEYS)
    return { data: keys.toReversed().map((key) => renderKey(key, now)) }
  },
})

export const createKey = appOperation('createKey', {
  ...common,
  method: 'POST',
  path: '/keys',
  summary: 'Make an API key',
  body: body('CreateKey', {
    name: Type.String({ minLength: 1, maxLength: 120, description: 'What it is for' }),
    access: oneOf(['full', 'read-only']),
    expiresAt: defaulted(nullable(TimestampInput), null),
  }),
  answer: { status: 201, schema: CreatedKey, description: 'The key, shown this once' },
  errors: ['conflict'],
  *handle({ caller, now }, { body: { name, access, expiresAt: until } }) {
    const expiresAt = until === null ? null : Date.parse(until)
    if (expiresAt !== null && expiresAt <= now) throw invalid([{ path: 'expiresAt', message: 'must be to come' }])
    return yield* make({ orgId: caller.orgId, name, access, expiresAt }, now)
  },
})

const replaced = statement(({ orgId, id, until }: { orgId: string; id: string; until: number }) =>
  q.updateTable('api_keys').set({ expires_at: until }).where('org_id', '=', orgId).where('id', '=', id),
)

export const replaceKey = appOperation('replaceKey', {
  ...ofKey,
  method: 'POST',
  path: '/keys/:keyId/replace',
  summary: 'Replace an API key',
  description:
    'Makes one with the same name, access and expiry; the old one goes on for a while, so that it can be exchanged.',
  body: body('ReplaceKey', {
    overlapSeconds: defaulted(Type.Integer({ minimum: 0, maximum: LONGEST_OVERLAP_SECONDS }), DAY_MS / SECOND_MS),
  }),
  bodyRequired: false,
  answer: { status: 201, schema: CreatedKey, description: 'The new key, shown this once' },
  *handle({ caller: { orgId }, now }, { params: { keyId }, body: { overlapSeconds = DAY_MS / SECOND_MS } }) {
    const { name, access, expires_at: expiresAt } = yield* standing(orgId, keyId, now)
    const until = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * SECOND_MS)
    yield* first(replaced, { orgId, id: keyId, until })
    return yield* make({ orgId, name, access, expiresAt }, now)
  },
})

interface Change {
  orgId: string
  id: string
  at: number | null
}

const setRevoked = statement(({ orgId, id, at }: Change) =>
  q
    .updateTable('api_keys')
    .set((is) => ({ revoked_at: is.fn.coalesce('revoked_at', is.val(at)) }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(keyColumns),
)

const setDisabled = statement(({ orgId, id, at }: Change) =>
  q
    .updateTable('api_keys')
    .set({ disabled_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning(keyColumns),
)

export const revokeKey = appOperation('revokeKey', {
  ...ofKey,
  method: 'DELETE',
  path: '/keys/:keyId',
  summary: 'Revoke an API key',
  description: 'For good: its next request is refused.',
  answer: { status: 200, schema: Deleted, description: 'Revoked' },
  *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
    if ((yield* first(setRevoked, { orgId, id, at: now })) === undefined) throw notFound('key')
    return { data: { id } }
  },
})

export const disableKey = switching('disable')
export const enableKey = switching('enable')

function switching(word: 'enable' | 'disable') {
  return appOperation(`${word}Key`, {
    ...ofKey,
    method: 'POST',
    path: `/keys/:keyId/${word}`,
    summary: word === 'enable' ? 'Enable an API key again' : 'Disable an API key for a while',
    answer: { status: 200, schema: Key, description: 'The key as it is now' },
    *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
      yield* standing(orgId, id, now)
      const key = yield* first(setDisabled, { orgId, id, at: word === 'enable' ? null : now })
      if (key === undefined) throw notFound('key')
      return renderKey(key, now)
    },
  })
}

const byId = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('api_keys').select(keyColumns).where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
)

/** A key of this organization that has not come to its end. */
function* standing(orgId: string, id: string, now: number): DbWork<KeyRow> {
  const key = yield* first(byId, { orgId, id })
  if (key === undefined) throw notFound('key')
  if (key.revoked_at !== null) throw new ApiError('conflict', 'The key is revoked, for good')
  if (key.expires_at !== null && key.expires_at <= now) throw new ApiError('conflict', 'The key has expired')
  return key
}

function* make(wanted: Parameters<typeof insertKey>[0], now: number) {
  if ((yield* keysOf(wanted.orgId, '', MOST_KEYS)).length >= MOST_KEYS) {
    throw new ApiError('conflict', `An organization has room for ${MOST_KEYS} keys, revoked ones included`)
  }
  const { key, secret } = yield* insertKey(wanted, now)
  return { ...renderKey(key, now), key: secret }
}
