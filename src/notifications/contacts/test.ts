import { sql } from 'kysely'
import Type from 'typebox'
import { countTestMail } from '../../accounts/mail-budgets/budgets.ts'
import { networkOperation } from '../../contract/operation.ts'
import { nullable, resource } from '../../contract/schema.ts'
import { enforceRateLimit } from '../../contract/services.ts'
import { newId } from '../../lib/ids.ts'
import { execute, q } from '../../storage/query.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { dashboardUrlOf, testMessage } from './message.ts'
import { contactOf, organizationOf } from './queries.ts'
import { readerOf } from './reader.ts'
import { requireConfirmed } from './request-confirmation.ts'
import { ofContact } from './schema.ts'
import { openSettings } from './settings.ts'

const TIMEOUT_MS = 60_000
const TESTS_PER_MINUTE = 10

export const testContact = networkOperation({
  ...ofContact,
  id: 'testContact',
  method: 'POST',
  path: '/contacts/:contactId/test',
  notifies: true,
  summary: 'Send a test message to a contact',
  description: `The response waits for the result, up to a minute. At most ${TESTS_PER_MINUTE} a minute per organization.`,
  answer: {
    status: 200,
    schema: resource('ContactTested', {
      sent: Type.Boolean(),
      error: nullable(Type.String(), { description: 'The reason for the failure' }),
    }),
    description: 'The result',
  },
  errors: ['not_found', 'conflict'],
  *prepare({ caller: { orgId }, installation, now }, { params }) {
    enforceRateLimit(installation, `contact tests ${orgId}`, TESTS_PER_MINUTE, now)
    const contact = yield* contactOf(orgId, params.contactId)
    requireConfirmed(contact)
    if (contact.address_key !== null) yield* countTestMail({ orgId, to: contact.address_key }, now)
    return { contact, organization: yield* organizationOf(orgId), now }
  },
  /** Before queued alerts. */
  async run({ contact, organization, now }, { transports, sealer, baseUrl }) {
    const from = { organization: organization.name, dashboardUrl: dashboardUrlOf(baseUrl, contact.org_id) }
    const result = await channels[contact.channel as ChannelName].send({
      ...transports,
      to: openSettings(contact, sealer),
      message: testMessage(contact, from, readerOf(contact, organization), newId('ntc', now), now),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      now,
    })
    return { contact, result }
  },
  /** Updates the delivery status of the contact, as the result of an alert does. */
  *save({ now }, _input, { contact: { org_id: orgId, id }, result }) {
    const status = result.ok
      ? { last_sent_at: now, last_error: null, failing_since: null }
      : { last_error: result.error, failing_since: sql<number>`coalesce(failing_since, ${now})` }
    yield* execute(q.updateTable('contacts').set(status).where('org_id', '=', orgId).where('id', '=', id))
    return { sent: result.ok, error: result.ok ? null : result.error }
  },
})
