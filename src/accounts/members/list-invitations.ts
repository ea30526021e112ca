import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { resource } from '../../contract/schema.ts'
import { invitationsOf } from './invitations.ts'
import { renderInvitation } from './render.ts'
import { Invitation } from './schema.ts'

export const listInvitations = appOperation('listInvitations', {
  method: 'GET',
  path: '/invitations',
  tag: 'Members',
  summary: 'List pending invitations',
  answer: {
    status: 200,
    schema: resource('InvitationList', { data: Type.Array(Invitation) }),
    description: 'Newest first',
  },
  *handle({ caller, now }) {
    return { data: (yield* invitationsOf(caller.orgId, now)).map(renderInvitation) }
  },
})
