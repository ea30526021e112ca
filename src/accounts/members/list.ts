import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { resource } from '../../contract/schema.ts'
import { membersOf } from './queries.ts'
import { renderMember } from './render.ts'
import { Member } from './schema.ts'

export const listMembers = appOperation('listMembers', {
  method: 'GET',
  path: '/members',
  tag: 'Members',
  summary: 'List the members',
  answer: {
    status: 200,
    schema: resource('MemberList', { data: Type.Array(Member) }),
    description: 'In the order of joining',
  },
  *handle({ caller }) {
    return { data: (yield* membersOf(caller.orgId)).map(renderMember) }
  },
})
