import Type from 'typebox'
import { ApiError } from '../contract/errors.ts'
import { type OperationContext, operation } from '../contract/operation.ts'
import { body, resource } from '../contract/schema.ts'
import { resourceKindOf } from '../lib/ids.ts'
import { auditEach } from '../monitoring/monitors/bulk.ts'
import { contactOf, saveContact } from '../notifications/contacts/queries.ts'
import { askUnconfirmed } from '../notifications/contacts/request-confirmation.ts'
import { type DbWork, execute, notifyWatchers, q } from '../storage/query.ts'
import type { ConfigurationItemTable } from '../storage/schema/configuration.ts'
import type { ContactTable } from '../storage/schema/contacts.ts'
import { KEY_PATTERN } from './document.ts'
import { removeItems, saveItems } from './items.ts'
import { endFirstMutes } from './mute-at-first.ts'

/** Stands in place of a kind in the rows of contacts that wait for the end of their import. */
const WAITING = 'waitingContacts'

/** Remembers contacts that were created disabled, until the import is finished. */
export function* saveWaitingContacts(
  contacts: readonly Pick<ConfigurationItemTable, 'org_id' | 'resource_id' | 'source'>[],
): DbWork<void> {
  yield* saveItems(contacts.map((one) => ({ ...one, kind: WAITING, key: one.resource_id, secret_hash: null })))
}

/** Only those that the source still manages. */
function* waitingContacts(orgId: string, source: string): DbWork<readonly string[]> {
  const rows = yield* execute(
    q
      .selectFrom('configuration_items as i')
      .innerJoin('configuration_items as w', (on) =>
        on.onRef('w.org_id', '=', 'i.org_id').onRef('w.resource_id', '=', 'i.resource_id').on('w.kind', '=', WAITING),
      )
      .innerJoin('contacts as c', (on) => on.onRef('c.org_id', '=', 'i.org_id').onRef('c.id', '=', 'i.resource_id'))
      .select('c.id')
      .where('i.org_id', '=', orgId)
      .where('i.kind', '=', 'contacts')
      .where('i.source', '=', source)
      .orderBy('c.id'),
  )
  return rows.map(({ id }) => id)
}

export const finishImport = operation({
  id: 'finishImport',
  method: 'POST',
  path: '/configuration/finish-import',
  access: 'write',
  extension: true,
  tag: 'Configuration',
  bulk: true,
  // Every contact has an audit entry of its own.
  skipsAudit: true,
  notifies: true,
  summary: 'Finish an import',
  description:
    'Enables the contacts that a document created with `disabledAtFirst` and that are still disabled, and ends the mutes of monitors ' +
    'that it created with `mutedAtFirst`. Contacts that are disabled afterwards stay so when it is called again. An e-mail address that was never asked to confirm is asked, within the limits for such e-mails.',
  body: body('FinishImport', {
    source: Type.String({ pattern: KEY_PATTERN, description: 'The source of the document, such as `import-kuma`' }),
  }),
  answer: {
    status: 200,
    schema: resource('FinishedImport', {
      enabledContacts: Type.Integer({ description: 'Contacts that were enabled' }),
      unmutedMonitors: Type.Integer({ description: 'Monitors whose first mute was ended' }),
    }),
    description: 'What was enabled',
  },
  *handle(context, { body: { source } }) {
    const unmutedMonitors = yield* endFirstMutes(context, source)
    return { enabledContacts: yield* enableWaitingContacts(context, source), unmutedMonitors }
  },
})

export function* enableWaitingContacts(context: OperationContext, source: string): DbWork<number> {
  const { caller, now } = context
  const { orgId } = caller
  const waiting = yield* waitingContacts(orgId, source)
  const enabled: ContactTable[] = []
  for (const id of waiting) {
    if ((yield* contactOf(orgId, id)).enabled === 1) continue
    const contact = yield* saveContact(orgId, id, { enabled: 1, updated_at: now })
    enabled.push(contact)
    try {
      yield* askUnconfirmed(context, contact)
    } catch (error) {
      // Too many confirmations within an hour. The contact is shown as not confirmed, and its address can be asked later.
      if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error
    }
  }
  yield* removeItems(waiting.map((id) => ({ org_id: orgId, kind: WAITING, resource_id: id })))
  yield* auditEach(context, 'enableContact', enabled)
  yield* notifyWatchers({ orgId, kind: resourceKindOf('con_'), id: null })
  return enabled.length
}
