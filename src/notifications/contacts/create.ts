import { ApiError } from '../../contract/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { kindsText } from './render.ts'
import { redactSettings, type Settings } from './settings.ts'
import type { AlertKind } from './types.ts'

/** One organization's contacts must not take up the room of all others in the sender. */
const MOST_CONTACTS = 100

const insert = statement((c: ContactTable) =>
  q.insertInto('contacts').values({
    org_id: c.org_id,
    id: c.id,
    name: c.name,
    channel: c.channel,
    settings: c.settings,
    sealed: c.sealed,
    kinds: c.kinds,
    covers_all: c.covers_all,
    enabled: c.enabled,
    last_sent_at: null,
    last_error: null,
    failing_since: null,
    due_at: null,
    hold_until: c.hold_until,
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
  /** Checked (see settings.ts). */
  readonly settings: Settings
  /** All, if it is left out. */
  readonly kinds?: readonly AlertKind[]
  /** False: none but those that are attached to it. */
  readonly coversAll?: boolean
}

export function* createContact(contact: NewContact, sealer: Sealer, now: number): DbWork<ContactTable> {
  const { orgId, name, channel, settings, kinds, coversAll = true } = contact
  const existing = (yield* first(count, { orgId }))?.n ?? 0
  if (existing >= MOST_CONTACTS) {
    throw new ApiError('conflict', `An organization has room for ${MOST_CONTACTS} contacts, and all are in use`)
  }
  const id = newId('con', now)
  const row: ContactTable = {
    org_id: orgId,
    id,
    name,
    channel,
    settings: JSON.stringify(redactSettings(channel, settings)),
    sealed: sealSettings(settings, { org_id: orgId, id }, sealer),
    kinds: storedKinds(channel, kinds),
    covers_all: coversAll ? 1 : 0,
    enabled: 1,
    last_sent_at: null,
    last_error: null,
    failing_since: null,
    due_at: null,
    hold_until: 0,
    claimed_by: null,
    created_at: now,
    updated_at: now,
  }
  yield* run(insert, row)
  return row
}

/** As they are stored; all, where none are named. */
export function storedKinds(channel: ChannelName, kinds: readonly AlertKind[] | undefined): string {
  return kindsText(kinds && channels[channel].tracksIncidents ? withEnds(kinds) : kinds)
}

/** Who keeps incidents and hears of a beginning must hear of the end, or it stays open there for ever. */
function withEnds(kinds: readonly AlertKind[]): readonly AlertKind[] {
  return [
    ...kinds,
    ...(kinds.includes('opened') ? (['resolved'] as const) : []),
    ...(kinds.includes('degraded') ? (['recovered', 'resolved'] as const) : []),
  ]
}

export function sealSettings(settings: Settings, of: Pick<ContactTable, 'org_id' | 'id'>, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(settings), sealContext(of.org_id, of.id))
}

/** The settings in full. */
export function openSettings(contact: Pick<ContactTable, 'org_id' | 'id' | 'sealed'>, sealer: Sealer): Settings {
  return JSON.parse(sealer.open(contact.sealed, sealContext(contact.org_id, contact.id)))
}

function sealContext(orgId: string, id: string): string {
  return `contact ${orgId} ${id}`
}
