import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { Deleted } from '../../contract/schema.ts'
import { dropInvitation } from './invitations.ts'

export const deleteInvitation = appOperation('deleteInvitation', {
  method: 'DELETE',
  path: '/invitations/:invitationId',
  tag: 'Members',
  summary: 'Revoke an invitation',
  params: Type.Object({ invitationId: Type.String() }),
  answer: { status: 200, schema: Deleted, description: 'The link no longer works' },
  errors: ['not_found'],
  *handle({ caller }, { params: { invitationId } }) {
    if (!(yield* dropInvitation(caller.orgId, invitationId))) throw notFound('invitation')
    return { data: { id: invitationId } }
  },
})
