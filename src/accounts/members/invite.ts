import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { body, nullable, resource } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { cleanName, subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import type { InvitationTable } from '../../storage/schema/accounts.ts'
import { countMemberMail } from '../mail-budgets/budgets.ts'
import { organizationWithIdOrSlug } from '../organizations/queries.ts'
import { accountEmail } from '../users/account-email.ts'
import { normalizeEmail } from '../users/normalize.ts'
import { accountFaults, Email } from '../users/schema.ts'
import { invitationsOf, saveInvitation } from './invitations.ts'
import { renderInvitation } from './render.ts'
import { requireOwnerForOwnerRole } from './rules.ts'
import { Invitation, RoleName } from './schema.ts'

const LIFETIME_MS = 7 * DAY_MS
const MAX_PENDING = 100

const CreatedInvitation = resource('CreatedInvitation', {
  ...Invitation.properties,
  link: nullable(Type.String(), { description: 'Shown only once; null if it was sent by e-mail' }),
})

export const createInvitation = appOperation('createInvitation', {
  method: 'POST',
  path: '/invitations',
  tag: 'Members',
  summary: 'Invite a person',
  description:
    'With an e-mail address and a mail server, the link is sent by e-mail; otherwise it is in the response. ' +
    'It is single-use and expires in 7 days.',
  body: body('CreateInvitation', { email: Type.Optional(Email), role: RoleName }),
  refine: accountFaults,
  answer: { status: 201, schema: CreatedInvitation, description: 'The invitation' },
  errors: ['conflict'],
  *handle({ caller, installation, now }, { body: { role, email: given } }) {
    requireOwnerForOwnerRole(caller.role, role)
    const { orgId, userId, userName } = caller
    if ((yield* invitationsOf(orgId, now)).length >= MAX_PENDING) {
      throw new ApiError('conflict', reason('invitation_limit', { count: MAX_PENDING }))
    }
    const email = given === undefined ? null : (normalizeEmail(given) ?? null)
    const queueMail = email === null ? undefined : installation.queueMail
    const invitation: Omit<InvitationTable, 'hash'> = {
      org_id: orgId,
      id: newId('inv', now),
      email,
      role,
      mailed: queueMail === undefined ? 0 : 1,
      invited_by: userName,
      created_by: userId,
      created_at: now,
      expires_at: now + LIFETIME_MS,
    }
    const link = `${installation.baseUrl}/invitation?token=${yield* saveInvitation(invitation)}`
    if (email === null || queueMail === undefined) return { ...renderInvitation(invitation), link }
    yield* countMemberMail({ orgId, userId, to: email, alternative: 'create a link without an address' }, now)
    const organization = (yield* organizationWithIdOrSlug(orgId))?.name ?? ''
    const mail = accountEmail(invitation.id, {
      to: email,
      subject: subject`Invitation to ${organization} on Pharos`,
      paragraphs: [
        `${cleanName(userName)} invited you to join ${cleanName(organization)} on Pharos. This link works once and expires in 7 days:`,
        "If you weren't expecting this invitation, ignore this e-mail.",
      ],
      link,
      button: 'Accept invitation',
    })
    yield* queueMail(mail, invitation.expires_at, now)
    return { ...renderInvitation(invitation), link: null }
  },
})
