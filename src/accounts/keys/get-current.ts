import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { Caller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { organizationWithIdOrSlug } from '../organizations/queries.ts'
import { finiteLimit, planNamed, planNames } from '../plans/plans.ts'
import { keyWithId } from './queries.ts'

const limit = nullable(Type.Integer({ description: 'How many the plan allows; null if there is no limit' }))

const OwnKey = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  hint: Type.String({ description: 'Its last four characters' }),
  access: oneOf(['FULL', 'READ_ONLY'], { description: 'READ_ONLY keys cannot change anything' }),
  expiresAt: nullable(Timestamp, { description: 'Null if it does not expire' }),
})

export const getCurrentKey = operation({
  id: 'getCurrentKey',
  method: 'GET',
  path: '/me',
  access: 'read',
  extension: true,
  tag: 'Insight',
  summary: 'Get the API key, its organization and the limits of the plan',
  description: 'For checking a key. The usage is at `/usage`.',
  answer: {
    status: 200,
    schema: resource('Me', {
      key: nullable(OwnKey, { description: 'The key of the request; null for a signed-in user' }),
      organization: Type.Object(
        { id: Type.String({ minLength: 1 }), slug: Type.String(), name: Type.String() },
        { description: 'The organization that the key belongs to' },
      ),
      plan: oneOf(planNames),
      limits: Type.Object(
        {
          monitors: limit,
          statusPages: limit,
          webhookEndpoints: limit,
          publishedIncidents: limit,
          maintenanceWindows: limit,
          fastestIntervalSeconds: Type.Integer({
            description: 'The shortest interval between two checks of a monitor',
          }),
          rawResultsDays: Type.Integer({ description: 'For how many days check results are kept' }),
        },
        { description: 'What the plan allows' },
      ),
    }),
    description: 'The key, the organization and the plan',
  },
  *handle({ caller }) {
    const { name: plan, ...limits } = planNamed(caller.plan)
    const organization = yield* organizationWithIdOrSlug(caller.orgId)
    return {
      key: yield* keyOf(caller),
      organization: { id: caller.orgId, slug: caller.orgSlug, name: organization?.name ?? caller.orgSlug },
      plan,
      limits: {
        ...limits,
        monitors: finiteLimit(limits.monitors),
        statusPages: finiteLimit(limits.statusPages),
        webhookEndpoints: finiteLimit(limits.webhookEndpoints),
        publishedIncidents: finiteLimit(limits.publishedIncidents),
        maintenanceWindows: finiteLimit(limits.maintenanceWindows),
      },
    }
  },
})

function* keyOf(caller: Caller): DbWork<Static<typeof OwnKey> | null> {
  if (!('keyId' in caller)) return null
  const { keyId: id, keyName: name, access } = caller
  const row = yield* keyWithId(id)
  const expiresAt = isoTimestampOrNull(row?.expires_at ?? null)
  return { id, name, hint: row?.hint ?? '', access: access === 'full' ? 'FULL' : 'READ_ONLY', expiresAt }
}
