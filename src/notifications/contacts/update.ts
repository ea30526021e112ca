import Type from 'typebox'
import { invalid, notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { body, documented, forbidding, nullable } from '../../contract/schema.ts'
import type { Sealer } from '../../lib/seal.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import { addressKeyOf, isConfirmedAddress } from './confirmation.ts'
import { type CoverageChange, coverageAfter } from './coverage.ts'
import { dropPendingAlerts } from './enable.ts'
import { kindNamed, storedKinds } from './kinds.ts'
import type { Language } from './languages/words.ts'
import { saveContact } from './queries.ts'
import { askUnconfirmed } from './request-confirmation.ts'
import { Contact, coverage, fields, hasSelector, ofContact, timeZoneFaults } from './schema.ts'
import {
  checkSettings,
  openSettings,
  redactSettings,
  type Settings,
  sealSettings,
  secretFaults,
  settingsChange,
  withoutKeptSecrets,
} from './settings.ts'
import type { AlertKind } from './types.ts'

/** Omitted fields stay unchanged. */
export interface ContactChange extends CoverageChange {
  readonly name?: string
  /**
   * Merged into the stored settings, because clients cannot read secrets and send them back. Null removes a setting; `set`
   * keeps a stored secret. A new address needs the secrets, too.
   */
  readonly settings?: Settings
  /** Null: all kinds. */
  readonly kinds?: readonly AlertKind[] | null
  /** Null: that of the organization. */
  readonly language?: Language | null
  readonly timezone?: string | null
}

export interface ContactRules {
  readonly sealer: Sealer
  readonly policy: AddressPolicy
}

/** New settings may work where the old ones failed: pending alerts are sent at once. */
function failureReset({ due_at: dueAt }: ContactTable, now: number) {
  const due = { due_at: dueAt === null ? null : Math.min(dueAt, now) }
  return { last_error: null, failing_since: null, hold_until: 0, refused_until: 0, ...due }
}

/** The channel of a contact cannot change. */
export function* changeContact(
  orgId: string,
  id: string,
  change: ContactChange,
  { sealer, policy }: ContactRules,
  now: number,
): DbWork<ContactTable> {
  const contact = q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id)
  const [row] = yield* execute(contact.forUpdate())
  if (row === undefined) throw notFound('contact')
  const channel = row.channel as ChannelName
  const settings = change.settings && changedSettings(channel, openSettings(row, sealer), change.settings, policy)
  const confirmation = yield* confirmationAfter(row, settings)
  if (confirmation.confirmed < row.confirmed) yield* dropPendingAlerts(orgId, id, now)
  const covered = coverageAfter(row, change)
  if ('faults' in covered) throw invalid(covered.faults)
  // An exception from ALL means the opposite of one from CHOSEN.
  if (covered.value.covers !== row.covers) {
    yield* execute(q.deleteFrom('contact_exceptions').where('org_id', '=', orgId).where('contact_id', '=', id))
  }
  const changed = {
    name: change.name ?? row.name,
    settings: settings ? JSON.stringify(redactSettings(channel, settings)) : row.settings,
    sealed: settings ? sealSettings(settings, row, sealer) : row.sealed,
    kinds: change.kinds === undefined ? row.kinds : storedKinds(channel, change.kinds ?? undefined),
    ...covered.value,
    language: change.language === undefined ? row.language : change.language,
    timezone:
      change.timezone === undefined ? row.timezone : change.timezone && (parseTimeZone(change.timezone) as string),
    ...confirmation,
    ...(settings && row.claimed_by === null && failureReset(row, now)),
    updated_at: now,
  }
  return yield* saveContact(orgId, id, changed)
}

/** A changed address has to be confirmed again. */
function* confirmationAfter(row: ContactTable, settings: Settings | undefined) {
  const addressKey = settings === undefined ? row.address_key : addressKeyOf(row.channel as ChannelName, settings)
  if (addressKey === null || addressKey === row.address_key) {
    return { address_key: addressKey, confirmed: row.confirmed, confirmation_sent_at: row.confirmation_sent_at }
  }
  const confirmed = (yield* isConfirmedAddress(row.org_id, addressKey)) ? 1 : 0
  return { address_key: addressKey, confirmed, confirmation_sent_at: null }
}

function changedSettings(channel: ChannelName, before: Settings, change: Settings, policy: AddressPolicy): Settings {
  const changed = withoutKeptSecrets(channel, before, change)
  const merged = Object.entries({ ...before, ...changed }).filter(([, value]) => value !== null)
  const verdict = checkSettings(channel, Object.fromEntries(merged), policy)
  const faults = [...('faults' in verdict ? verdict.faults : []), ...secretFaults(channel, before, changed)]
  if ('value' in verdict && faults.length === 0) return verdict.value
  throw invalid(faults.map(({ path, message }) => ({ path: `settings.${path}`, message })))
}

export const updateContact = operation({
  ...ofContact,
  id: 'updateContact',
  method: 'PATCH',
  summary: 'Update a contact',
  description:
    'Omitted settings keep their values, and so do secrets given as `set`. The channel cannot be changed: create another ' +
    'contact. A new destination (`destinations` of the channel) requires the secrets again, or null to remove them.',
  body: forbidding(
    body('UpdateContact', {
      name: Type.Optional(fields.name),
      settings: Type.Optional(
        documented(
          Type.Record(Type.String(), Type.Unknown(), { description: 'Settings to change; null removes one' }),
          settingsChange,
        ),
      ),
      kinds: Type.Optional(nullable(fields.kinds, { description: 'Null: all' })),
      covers: Type.Optional({
        ...fields.covers,
        description: `${coverage} A change forgets which monitors were attached and detached.`,
      }),
      selector: fields.selector,
      language: Type.Optional(fields.language),
      timezone: Type.Optional(fields.timezone),
    }),
    {
      required: ['covers', 'selector'],
      properties: { ...hasSelector.properties, covers: { enum: ['ALL', 'CHOSEN'] } },
    },
  ),
  refine: timeZoneFaults,
  // A new address is asked to confirm.
  notifies: ['settings'],
  answer: { status: 200, schema: Contact, description: 'The updated contact' },
  *handle(context, { params: { contactId: id }, body: wanted }) {
    const { caller, installation, now } = context
    const rules = { sealer: installation.sealer, policy: installation.webhooks.policy }
    const { kinds, ...others } = wanted
    const changes = { ...others, ...(kinds !== undefined && { kinds: kinds === null ? null : kinds.map(kindNamed) }) }
    return yield* askUnconfirmed(context, yield* changeContact(caller.orgId, id, changes, rules, now))
  },
})
