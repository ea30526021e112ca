import { ApiError } from '../../contract/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ContactTable, Coverage } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import { addressKeyOf, isConfirmedAddress } from './confirmed-address.ts'
import { storedKinds } from './kinds.ts'
import { redactSettings, type Settings, sealSettings } from './settings.ts'
import type { AlertKind } from './types.ts'

/** Keeps one organization from using all of the sender's capacity. */
export const MAX_CONTACTS = 100

const insert = statement((c: ContactTable) =>
  q.insertInto('contacts').values({
    org_id: c.org_id,
    id: c.id,
    name: c.name,
    channel: c.channel,
    settings: c.settings,
    sealed: c.sealed,
    kinds: c.kinds,
    covers: c.covers,
    selector: c.selector,
    enabled: c.enabled,
    address_key: c.address_key,
    confirmed: c.confirmed,
    confirmation_sent_at: null,
    last_sent_at: null,
    last_error: null,
    failing_since: null,
    due_at: null,
    hold_until: c.hold_until,
    refused_until: c.refused_until,
    claimed_by: null,
    created_at: c.created_at,
    updated_at: c.updated_at,
  }),
)

const count = statement(({ orgId }: { orgId: string }) =>
  q
    .selectFrom('contacts')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId),
)

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
}

export function* insertContact(contact: NewContact, sealer: Sealer, now: number): DbWork<ContactTable> {
  const { orgId, name, channel, settings, kinds, covers = 'ALL', selector = null } = contact
  const existing = (yield* first(count, { orgId }))?.n ?? 0
  if (existing >= MAX_CONTACTS) {
    throw new ApiError('conflict', `The limit of ${MAX_CONTACTS} alert contacts per organization is reached`)
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
    enabled: 1,
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
  yield* run(insert, row)
  return row
}
