import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { resource } from '../../contract/schema.ts'
import { keysOf, liveKeysOfCreator, MAX_KEYS } from './queries.ts'
import { renderKey } from './render.ts'
import { Key } from './schema.ts'

export const listKeys = appOperation('listKeys', {
  tag: 'API keys',
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
  tag: 'API keys',
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
