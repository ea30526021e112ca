import { sql } from 'kysely'
import type { Transports } from '../../contract/app-operation.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelResult } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { openSettings } from './create.ts'
import { dashboardUrlOf, testMessage } from './message.ts'

const PATIENCE_MS = 60_000

interface Surroundings {
  readonly transports: Transports
  readonly sealer: Sealer
  readonly baseUrl: string
}

/** Sends a message now, past everything that waits, to see what comes of it. */
export function sendTest(
  contact: ContactTable,
  { transports, sealer, baseUrl }: Surroundings,
  now: number,
): Promise<ChannelResult> {
  return channels[contact.channel as ChannelName].send({
    ...transports,
    to: openSettings(contact, sealer),
    message: testMessage(contact.name, newId('ntc', now), dashboardUrlOf(baseUrl, contact.org_id), now),
    signal: AbortSignal.timeout(PATIENCE_MS),
    now,
  })
}

interface Place {
  orgId: string
  id: string
  now: number
}

const arrived = statement(({ orgId, id, now }: Place) =>
  q
    .updateTable('contacts')
    .set({ last_sent_at: now, last_error: null, failing_since: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id),
)

const failed = statement(({ orgId, id, now, error }: Place & { error: string }) =>
  q
    .updateTable('contacts')
    .set({ last_error: error, failing_since: sql`coalesce(failing_since, ${now})` })
    .where('org_id', '=', orgId)
    .where('id', '=', id),
)

/** What came of a test says how the contact fares, like what comes of an alert. */
export function* recordTest({ org_id: orgId, id }: ContactTable, sent: ChannelResult, now: number): DbWork<void> {
  if (sent.ok) yield* run(arrived, { orgId, id, now })
  else yield* run(failed, { orgId, id, now, error: sent.error })
}
