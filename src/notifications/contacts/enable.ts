import { operation } from '../../contract/operation.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { saveContact } from './queries.ts'
import { renderContact } from './render.ts'
import { askUnconfirmed } from './request-confirmation.ts'
import { Contact, ofContact } from './schema.ts'

export function* dropPendingAlerts(orgId: string, id: string, now: number): DbWork<void> {
  const alerts = q.updateTable('alerts').where('org_id', '=', orgId).where('contact_id', '=', id)
  const dropped = { due_at: null, outcome: 'DROPPED', settled_at: now } as const
  yield* execute(alerts.set(dropped).where('due_at', 'is not', null))
}

/** Drops pending alerts: they are not sent when the contact is enabled again. Also discards the result of a message in flight. */
export function* disableContactRow(orgId: string, id: string, now: number): DbWork<ContactTable> {
  const ended = { due_at: null, claimed_by: null, failing_since: null }
  const row = yield* saveContact(orgId, id, { enabled: 0, ...ended, updated_at: now })
  yield* dropPendingAlerts(orgId, id, now)
  return row
}

export const enableContact = switchOperation('enable')
export const disableContact = switchOperation('disable')

function switchOperation(word: 'enable' | 'disable') {
  return operation({
    ...ofContact,
    id: `${word}Contact`,
    method: 'POST',
    path: `/contacts/:contactId/${word}`,
    summary: word === 'enable' ? 'Enable a contact' : 'Disable a contact',
    description:
      word === 'enable'
        ? 'It gets the alerts of problems that start or end from now on. An e-mail address that was never asked to confirm is asked.'
        : 'It gets no alerts, and those that are waiting are dropped.',
    ...(word === 'enable' && { notifies: true as const }),
    answer: { status: 200, schema: Contact, description: 'The updated contact' },
    *handle(context, { params: { contactId: id } }) {
      const { caller, installation, now } = context
      const { orgId } = caller
      if (word === 'disable') return renderContact(yield* disableContactRow(orgId, id, now), installation.transports)
      return yield* askUnconfirmed(context, yield* saveContact(orgId, id, { enabled: 1, updated_at: now }))
    },
  })
}
