import { sql } from 'kysely'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import { q, run, statement, type Work } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema-contacts.ts'
import type { Sent, Ways } from './channels/channel.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { openSettings } from './create.ts'
import { homeOf, testMessage } from './message.ts'

const PATIENCE_MS = 60_000

interface Surroundings {
  readonly ways: Ways
  readonly sealer: Sealer
  readonly baseUrl: string
}

/** Sends a message now, past everything that waits, to see what comes of it. */
export function sendTest(contact: ContactTable, { ways, sealer, baseUrl }: Surroundings, now: number): Promise<Sent> {
  return channels[contact.channel as ChannelName].send({
    ...ways,
    to: openSettings(contact, sealer),
    message: testMessage(contact.name, newId('ntc', now), homeOf(baseUrl, contact.org_id), now),
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
export function* noteTest({ org_id: orgId, id }: ContactTable, sent: Sent, now: number): Work<void> {
  if (sent.ok) yield* run(arrived, { orgId, id, now })
  else yield* run(failed, { orgId, id, now, error: sent.error })
}
