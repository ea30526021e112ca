import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { type DbWork, execute, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { renderContact } from './render.ts'
import { Contact, ofContact } from './schema.ts'

function* save(orgId: string, id: string, changed: Partial<ContactTable>): DbWork<ContactTable | undefined> {
  const update = q.updateTable('contacts').set(changed).where('org_id', '=', orgId).where('id', '=', id)
  return (yield* execute(update.returningAll()))[0]
}

export function* enableContactRow(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  return yield* save(orgId, id, { enabled: 1, updated_at: now })
}

export const dropPendingAlerts = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q
    .updateTable('alerts')
    .set({ due_at: null, outcome: 'DROPPED', settled_at: now })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', id)
    .where('due_at', 'is not', null),
)

/** Drops pending alerts: they are not sent when the contact is enabled again. Also discards the result of a message in flight. */
export function* disableContactRow(orgId: string, id: string, now: number): DbWork<ContactTable | undefined> {
  const ended = { due_at: null, claimed_by: null, failing_since: null }
  const row = yield* save(orgId, id, { enabled: 0, ...ended, updated_at: now })
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
