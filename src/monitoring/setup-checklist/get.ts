import Type from 'typebox'
import { invitationsOf } from '../../accounts/members/invitations.ts'
import { membersOf } from '../../accounts/members/queries.ts'
import { appOperation } from '../../contract/app-operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { type Configured, type ContactProblem, problemOf } from '../../notifications/contacts/delivers.ts'
import { contactsOf } from '../../notifications/contacts/queries.ts'
import { countInList } from '../../storage/list-index.ts'
import { first, q, statement } from '../../storage/query.ts'

export const Checklist = resource('SetupChecklist', {
  dismissed: Type.Boolean({ description: 'A member has hidden it for everybody' }),
  contact: Type.Boolean({ description: 'Alerts reach a contact, as far as is known' }),
  unconfirmed: nullable(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'A contact that waits for the confirmation of its address, while there is no other',
  }),
  failing: nullable(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'A contact that alerts do not reach, while there is no other',
  }),
  testSent: Type.Boolean({ description: 'A contact has received a message' }),
  testable: nullable(Type.Object({ id: Type.String(), name: Type.String() }), {
    description: 'The contact to send a test to; null without one',
  }),
  statusPage: Type.Boolean(),
  invited: Type.Boolean({ description: 'There is another member, or an invitation' }),
})

const dismissal = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('dismissed_checklists').select('dismissed_at').where('org_id', '=', orgId),
)

export function* readChecklist(orgId: string, configured: Configured, now: number) {
  const contacts = yield* contactsOf(orgId)
  const withProblem = (...problems: (ContactProblem | null)[]) =>
    contacts.find((contact) => problems.includes(problemOf(contact, configured)))
  const usable = withProblem(null)
  const isAlone = (yield* membersOf(orgId)).length < 2
  return {
    dismissed: (yield* first(dismissal, { orgId })) !== undefined,
    contact: usable !== undefined,
    unconfirmed: usable === undefined ? nameOf(withProblem('UNCONFIRMED')) : null,
    failing: usable === undefined ? nameOf(withProblem('FAILING', 'NOT_CONFIGURED')) : null,
    testSent: contacts.some(({ last_sent_at: at }) => at !== null),
    testable: nameOf(usable ?? withProblem('FAILING')),
    statusPage: (yield* countInList(orgId, 'statuspage')) > 0,
    invited: !isAlone || (yield* invitationsOf(orgId, now)).length > 0,
  }
}

function nameOf(contact: { readonly id: string; readonly name: string } | undefined) {
  return contact === undefined ? null : { id: contact.id, name: contact.name }
}

export const getSetupChecklist = appOperation('getSetupChecklist', {
  method: 'GET',
  path: '/setup-checklist',
  tag: 'Insight',
  summary: 'Get what is left to set up',
  answer: { status: 200, schema: Checklist, description: 'The steps, as the organization is now' },
  *handle({ caller: { orgId }, installation, now }) {
    return yield* readChecklist(orgId, installation.transports, now)
  },
})
