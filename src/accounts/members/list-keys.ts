import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { resource } from '../../contract/schema.ts'
import { liveKeysOfCreator } from '../keys/queries.ts'
import { renderKey } from '../keys/render.ts'
import { Key } from '../keys/schema.ts'
import { MemberParams } from './schema.ts'

export const listMemberKeys = appOperation('listMemberKeys', {
  method: 'GET',
  path: '/members/:userId/keys',
  tag: 'Members',
  summary: 'List the API keys that a member created',
  description: 'Active keys, which can be revoked when the member is removed.',
  params: MemberParams,
  answer: {
    status: 200,
    schema: resource('MemberKeyList', { data: Type.Array(Key) }),
    description: 'In order of creation',
  },
  *handle({ caller, now }, { params: { userId } }) {
    return { data: (yield* liveKeysOfCreator(caller.orgId, userId, now)).map((key) => renderKey(key, now)) }
  },
})
