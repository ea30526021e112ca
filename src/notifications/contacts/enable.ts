import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { renderContact } from './render.ts'
import { Contact, ofContact } from './schema.ts'

interface ContactUpdate {
  orgId: string
  id: string
  now: number
}

const enable = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('contacts')
    .set({ enabled: 1, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll(),
)

export function* enableContactRow(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  return yield* first(enable, { orgId, id, now })
}

/** Also ends a claim, so that the result of a message in flight is discarded. */
const disable = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('contacts')
    .set({ enabled: 0, due_at: null, claimed_by: null, failing_since: null, updated_at: now })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll(),
)

export const dropPendingAlerts = statement(({ orgId, id, now }: ContactUpdate) =>
  q
    .updateTable('alerts')
    .set({ due_at: null, outcome: 'DROPPED', settled_at: now })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', id)
    .where('due_at', 'is not', null),
)

/** Drops pending alerts: they are not sent when the contact is enabled again. */
export function* disableContactRow(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  const row = yield* first(disable, { orgId, id, now })
  yield* run(dropPendingAlerts, { orgId, id, now })
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
        ? 'It gets the alerts of problems that start or end from now on.'
        : 'It gets no alerts, and those that are waiting are dropped.',
    answer: { status: 200, schema: Contact, description: 'The updated contact' },
    *handle({ caller: { orgId }, installation, now }, { params: { contactId: id } }) {
      const row = yield* (word === 'enable' ? enableContactRow : disableContactRow)(orgId, id, now)
      if (row === undefined) throw notFound('contact')
      return renderContact(row, installation.transports)
    },
  })
}
