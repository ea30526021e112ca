import type { Static } from 'typebox'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import { type Configured, problemOf } from './delivers.ts'
import { nameOfKind, parseKinds } from './kinds.ts'
import type { Language } from './languages/words.ts'
import type { Contact } from './schema.ts'
import { redactSettings } from './settings.ts'

export function renderContact(row: ContactTable, configured: Configured): Static<typeof Contact> {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    channel: row.channel as ChannelName,
    settings: redactSettings(row.channel as ChannelName, parseStored(row.settings)),
    kinds: parseKinds(row.kinds).map(nameOfKind),
    covers: row.covers,
    selector: row.selector,
    language: row.language as Language | null,
    timezone: row.timezone,
    enabled: row.enabled === 1,
    confirmed: row.confirmed === 1,
    problem: problemOf(row, configured),
    confirmationSentAt: isoTimestampOrNull(row.confirmation_sent_at),
    lastSentAt: isoTimestampOrNull(row.last_sent_at),
    lastError: row.last_error,
    failingSince: isoTimestampOrNull(row.failing_since),
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  }
}
