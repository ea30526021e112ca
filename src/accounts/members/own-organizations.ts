import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { ApiError, invalid, notFound } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { parseTimeZone, TIME_ZONE_FAULT } from '../../lib/time-zone.ts'
import { reason } from '../../reasons/reason.ts'
import type { DbWork } from '../../storage/query.ts'
import { createOrganization as insertOrganization, OrganizationName } from '../organizations/create.ts'
import { changeOrganization } from '../organizations/queries.ts'
import { addMember, type MembershipRow, membershipsOf, recordJoin } from './queries.ts'
import { Membership } from './schema.ts'

const MAX_ORGANIZATIONS_PER_USER = 20

const OrganizationSettings = body('OrganizationSettings', { name: OrganizationName })

export const createOrganization = appOperation('createOrganization', {
  method: 'POST',
  path: '/organizations',
  tag: 'Members',
  summary: 'Create an organization',
  description: 'Only with open sign-up; otherwise the operator creates organizations.',
  body: OrganizationSettings,
  answer: { status: 201, schema: Membership, description: 'The organization, with you as its owner' },
  errors: ['forbidden', 'conflict'],
  *handle({ signedIn: { userId, name: userName }, accounts, now }, { body: { name } }) {
    if (!accounts.openSignup) {
      throw new ApiError('forbidden', reason('operator_creates_orgs'))
    }
    if ((yield* membershipsOf(userId)).length >= MAX_ORGANIZATIONS_PER_USER) {
      throw new ApiError('conflict', reason('organization_limit', { count: MAX_ORGANIZATIONS_PER_USER }))
    }
    const org = yield* insertOrganization({ name, plan: accounts.signupPlan }, now)
    yield* addMember(org.id, userId, 'OWNER', now)
    yield* recordJoin(org.id, { id: userId, name: userName }, 'createOrganization', now)
    return yield* membership(userId, org.id)
  },
})

export const updateOrganization = appOperation('updateOrganization', {
  method: 'PATCH',
  path: '/organization',
  tag: 'Members',
  summary: 'Change the name or the time zone of the organization',
  body: body('OrganizationChanges', {
    name: Type.Optional(OrganizationName),
    timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'An IANA name, for reports' })),
  }),
  answer: { status: 200, schema: Membership, description: 'The updated organization' },
  *handle({ caller: { orgId, userId } }, { body: { name, timezone } }) {
    if (timezone !== undefined && parseTimeZone(timezone) === undefined) {
      throw invalid([{ path: 'timezone', message: TIME_ZONE_FAULT }])
    }
    const change = { ...(name !== undefined && { name }), ...(timezone !== undefined && { timezone }) }
    if (Object.keys(change).length > 0) yield* changeOrganization(orgId, change)
    return yield* membership(userId, orgId)
  },
})

function* membership(userId: string, orgId: string): DbWork<MembershipRow> {
  const found = (yield* membershipsOf(userId)).find((organization) => organization.id === orgId)
  if (found === undefined) throw notFound('organization')
  return found
}
