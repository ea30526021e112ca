import Type from 'typebox'
import { ApiError, type Fault, invalid } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { body, defaulted, documented, oneOf } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { type ContactTable, type Coverage, coverages } from '../../storage/schema/contacts.ts'
import { type ChannelName, channelNames } from './channels/index.ts'
import { addressKeyOf, isConfirmedAddress } from './confirmation.ts'
import { ALL_MONITORS, coverageAfter } from './coverage.ts'
import { kindNamed, storedKinds } from './kinds.ts'
import type { Language } from './languages/words.ts'
import { askUnconfirmed } from './request-confirmation.ts'
import { Contact, common, fields, hasSelector, timeZoneFaults } from './schema.ts'
import { checkSettings, contactVariants, redactSettings, type Settings, sealSettings } from './settings.ts'
import type { AlertKind } from './types.ts'

/** Keeps one organization from using all of the sender's capacity. */
export const MAX_CONTACTS = 100

export interface NewContact {
  readonly orgId: string
  readonly name: string
  readonly channel: ChannelName
  /** As returned by `checkSettings`. */
  readonly settings: Settings
  /** All kinds by default. */
  readonly kinds?: readonly AlertKind[]
  /** All monitors by default. */
  readonly covers?: Coverage
  /** Of a contact that covers LABELS, in its canonical form. */
  readonly selector?: string | null
  /** Null, the default: that of the organization. */
  readonly language?: Language | null
  readonly timezone?: string | null
  /** Default: true. */
  readonly enabled?: boolean
}

export function* insertContact(contact: NewContact, sealer: Sealer, now: number): DbWork<ContactTable> {
  const { orgId, name, channel, settings, kinds, covers = 'ALL', selector = null, enabled = true } = contact
  const { language = null, timezone = null } = contact
  const existing = yield* execute(q.selectFrom('contacts').select('id').where('org_id', '=', orgId))
  if (existing.length >= MAX_CONTACTS) {
    throw new ApiError('conflict', reason('contact_limit', { count: MAX_CONTACTS }))
  }
  const id = newId('con', now)
  const addressKey = addressKeyOf(channel, settings)
  const isConfirmed = addressKey === null || (yield* isConfirmedAddress(orgId, addressKey))
  const row: ContactTable = {
    org_id: orgId,
    id,
    name,
    channel,
    settings: JSON.stringify(redactSettings(channel, settings)),
    sealed: sealSettings(settings, { org_id: orgId, id }, sealer),
    kinds: storedKinds(channel, kinds),
    covers,
    selector,
    language,
    timezone,
    enabled: enabled ? 1 : 0,
    address_key: addressKey,
    confirmed: isConfirmed ? 1 : 0,
    confirmation_sent_at: null,
    last_sent_at: null,
    last_error: null,
    failing_since: null,
    due_at: null,
    hold_until: 0,
    refused_until: 0,
    claimed_by: null,
    created_at: now,
    updated_at: now,
  }
  yield* execute(q.insertInto('contacts').values(row))
  return row
}

const coversLabels = { required: ['covers'], properties: { covers: { const: 'LABELS' } } }

/** The body may have faults of its own. */
function settingsFaults({ channel, settings }: Readonly<Record<string, unknown>>, policy: AddressPolicy): Fault[] {
  const name = channelNames.find((known) => known === channel)
  if (name === undefined || settings === undefined) return []
  const verdict = checkSettings(name, settings, policy)
  return 'faults' in verdict ? verdict.faults.map(({ path, message }) => ({ path: `settings.${path}`, message })) : []
}

function coverageFaults({ covers = 'ALL', selector = null }: Readonly<Record<string, unknown>>): readonly Fault[] {
  const known = coverages.find((one) => one === covers)
  if (known === undefined || (selector !== null && typeof selector !== 'string')) return []
  const verdict = coverageAfter(ALL_MONITORS, { covers: known, selector })
  return 'faults' in verdict ? verdict.faults : []
}

const bodyFields = {
  name: fields.name,
  channel: oneOf(channelNames),
  settings: Type.Record(Type.String(), Type.Unknown()),
  kinds: Type.Optional({ ...fields.kinds, description: 'Default: all' }),
  covers: defaulted(fields.covers, 'ALL'),
  selector: fields.selector,
  language: defaulted(fields.language, null),
  timezone: defaulted(fields.timezone, null),
  enabled: defaulted(Type.Boolean({ description: 'If false, it gets nothing until it is enabled' }), true),
}

export const createContact = operation({
  ...common,
  id: 'createContact',
  method: 'POST',
  path: '/contacts',
  summary: 'Create a contact',
  description:
    'An e-mail address that does not belong to a member receives alerts only after it is confirmed: it is sent a link, ' +
    'as soon as the contact is enabled. An ' +
    `organization has at most ${MAX_CONTACTS} contacts.`,
  body: documented(body('CreateContact', bodyFields), {
    ...contactVariants(bodyFields),
    not: {
      anyOf: [
        { ...coversLabels, not: hasSelector },
        { ...hasSelector, not: coversLabels },
      ],
    },
  }),
  refine: (given, { webhooks }) => [
    ...settingsFaults(given, webhooks.policy),
    ...coverageFaults(given),
    ...timeZoneFaults(given),
  ],
  notifies: true,
  answer: { status: 201, schema: Contact, description: 'The new contact' },
  errors: ['conflict'],
  *handle(context, { body: wanted }) {
    const { caller, installation, now } = context
    const { sealer, webhooks } = installation
    const { name, channel, kinds, language, timezone, enabled } = wanted
    // Validated again because `refine` does not return the settings with the channel's defaults.
    const verdict = checkSettings(channel, wanted.settings, webhooks.policy)
    if ('faults' in verdict) throw invalid(verdict.faults)
    const covered = coverageAfter(ALL_MONITORS, wanted)
    if ('faults' in covered) throw invalid(covered.faults)
    const contact = {
      orgId: caller.orgId,
      name,
      channel,
      settings: verdict.value,
      language,
      timezone: timezone === null ? null : (parseTimeZone(timezone) as string),
      enabled,
      ...covered.value,
      ...(kinds && { kinds: kinds.map(kindNamed) }),
    }
    return yield* askUnconfirmed(context, yield* insertContact(contact, sealer, now))
  },
})
