import type { Static } from 'typebox'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import type { Contact } from './schema.ts'
import { type AlertKind, alertKinds } from './types.ts'

export function renderContact(row: ContactTable): Static<typeof Contact> {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    channel: row.channel as ChannelName,
    settings: JSON.parse(row.settings),
    kinds: kindsIn(row.kinds),
    coversAll: row.covers_all === 1,
    enabled: row.enabled === 1,
    lastSentAt: moment(row.last_sent_at),
    lastError: row.last_error,
    failingSince: moment(row.failing_since),
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  }
}

const ALL = '*'

/** As they are stored: with commas around, so that each can be looked for; those that all want include what is to come. */
export function kindsText(kinds: readonly AlertKind[] | undefined): string {
  return kinds === undefined ? ALL : `,${alertKinds.filter((kind) => kinds.includes(kind)).join(',')},`
}

function kindsIn(text: string): AlertKind[] {
  return alertKinds.filter((kind) => text === ALL || text.includes(`,${kind},`))
}

function moment(ms: number | null): string | null {
  return ms === null ? null : isoTimestamp(ms)
}
