import { type Selectable, sql } from 'kysely'
import { allOf, batch, fromRows } from '../../storage/batch.ts'
import { all, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { AlertTable, ContactTable } from '../../storage/schema/contacts.ts'
import { chooseAlerts, postponeAlerts } from './chain/chain.ts'
import type { PendingAlert } from './chain/types.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Claim, type ContactLease, contactQueue } from './claim.ts'
import { dropPendingAlerts } from './enable.ts'
import type { Flapping } from './flapping.ts'
import { flappingMonitors } from './flapping-monitors.ts'
import { withNotes } from './notes.ts'
import { organizationName } from './queries.ts'
import { withSummaries } from './summaries.ts'
import type { Alert, AlertKind } from './types.ts'

/** The alerts for one message to a claimed contact. */
export interface Batch {
  readonly claim: Claim
  readonly contact: ContactTable
  /** The name of its organization. */
  readonly organization: string
  readonly alerts: readonly PendingAlert[]
  /** Outages that recent messages reported and that have not ended. Empty unless the batch has a new outage. */
  readonly ongoing: readonly Alert[]
  /** The monitors that flap. */
  readonly flapping: readonly Flapping[]
  /** Threads to resolve at the provider. Present only if the channel tracks incidents. */
  readonly resolvedThreads?: readonly string[]
}

/** Keeps the transaction small; further alerts wait for the next message. */
const MAX_ALERTS_PER_MESSAGE = 5_000
/** More than any message lists. */
const MAX_ONGOING = 300
/** Each resolved thread is a request of its own. */
const MAX_RESOLVED_THREADS = 100

const lockContact = statement((lease: ContactLease) => contactQueue.selectClaimed(lease).selectAll().forNoKeyUpdate())

interface ContactKey {
  orgId: string
  contactId: string
}

const pending = ({ orgId, contactId }: ContactKey) =>
  q.selectFrom('alerts').where('org_id', '=', orgId).where('contact_id', '=', contactId).where('due_at', 'is not', null)

/** Those of an earlier message first, which is repeated as a whole, then the longest due. */
const pendingAlerts = statement((key: ContactKey) =>
  pending(key)
    .selectAll()
    .orderBy(sql`case when message_id is null then 1 else 0 end`)
    .orderBy('due_at')
    .orderBy('num')
    .limit(sql.lit(MAX_ALERTS_PER_MESSAGE)),
)

interface AlertUpdate extends ContactKey {
  num: number
  dueAt: number
  messageId: string | null
}

const updateAlert = batch<AlertUpdate, { i: number }>(
  { orgId: 'text', contactId: 'text', num: 'bigint', dueAt: 'bigint', messageId: 'text' },
  ({ orgId, contactId, num, dueAt, messageId }, rows) => {
    const updated = q
      .updateTable('alerts as a')
      .set({ due_at: dueAt, message_id: messageId })
      .where('a.org_id', '=', orgId)
      .where('a.contact_id', '=', contactId)
      .where('a.num', '=', num)
    return (rows === undefined ? updated : fromRows(updated, rows).returning(rows.index)) as typeof updated
  },
)

const ongoingOutages = statement(({ contactId, since }: { contactId: string; since: number }) =>
  q
    .selectFrom('alerts')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('problem_key', 'is not', null)
    .where('ended_at', 'is', null)
    .where('kind', '=', 'opened')
    .where('outcome', '=', 'SENT')
    .where('settled_at', '>=', since)
    .orderBy('num')
    .limit(MAX_ONGOING),
)

/**
 * Collects the alerts for the next message: those still waiting for a retry, and new ones, which are marked with
 * `messageId`. Undefined if there is nothing to send, the contact is disabled or not confirmed, or the claim has
 * ended.
 * A new outage is listed together with the ongoing outages sent within the last `stormMs`.
 */
export function* collectBatch(claim: Claim, messageId: string, stormMs: number): DbWork<Batch | undefined> {
  const { orgId, contactId } = claim
  const contact = yield* first(lockContact, claim.lease)
  if (contact === undefined) return undefined
  if (contact.enabled === 0 || contact.confirmed === 0) {
    yield* run(dropPendingAlerts, { orgId, id: contactId, now: claim.claimedAt })
    return undefined
  }
  const flapping = yield* flappingMonitors(claim)
  const alerts = yield* chooseFrom((yield* all(pendingAlerts, claim)).map(alertOf), claim, messageId, flapping)
  const { tracksIncidents } = channels[contact.channel as ChannelName]
  const resolvedThreads = tracksIncidents ? yield* updateThreads(claim, alerts) : undefined
  if (alerts.length === 0 && !resolvedThreads?.length) return undefined
  const hasNewOutage = alerts.some(({ kind, endedAt }) => kind === 'opened' && endedAt === null)
  const since = claim.claimedAt - stormMs
  const ongoing = hasNewOutage ? (yield* all(ongoingOutages, { contactId, since })).map(alertOf) : []
  const organization = yield* organizationName(orgId)
  const noted = yield* withSummaries(orgId, yield* withNotes(orgId, alerts))
  return {
    ...{ claim, contact, organization, alerts: noted, ongoing, flapping },
    ...(resolvedThreads && { resolvedThreads }),
  }
}

/** Runs the chain, and writes what it changes. */
function* chooseFrom(
  unsent: readonly PendingAlert[],
  { orgId, contactId, claimedAt: now }: Claim,
  messageId: string,
  flapping: readonly Flapping[],
): DbWork<readonly PendingAlert[]> {
  const postponed = postponeAlerts(unsent, { now, flapping })
  const chosen = new Set(chooseAlerts(postponed, { now, flapping }))
  const decided = postponed.map((alert) =>
    chosen.has(alert) && alert.messageId === '' ? { ...alert, messageId } : alert,
  )
  const changed = decided.filter((alert, i) => alert !== unsent[i])
  yield* allOf(
    updateAlert,
    changed.map(({ num, dueAt, messageId }) => ({ orgId, contactId, num, dueAt, messageId: messageId || null })),
  )
  return decided.filter((_, i) => chosen.has(postponed[i] as PendingAlert)).sort((a, b) => a.num - b.num)
}

const openThread = statement(({ orgId, contactId, messageId, at }: ContactKey & { messageId: string; at: number }) =>
  q
    .insertInto('alert_threads')
    .values({ org_id: orgId, contact_id: contactId, message_id: messageId, opened_at: at })
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'message_id']).doNothing()),
)

/** Threads none of whose problems is still open. */
const endedThreads = statement(({ orgId, contactId }: ContactKey) =>
  q
    .selectFrom('alert_threads as t')
    .select('t.message_id')
    .where('t.org_id', '=', orgId)
    .where('t.contact_id', '=', contactId)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('alerts as a')
            .select('a.num')
            .whereRef('a.org_id', '=', 't.org_id')
            .whereRef('a.contact_id', '=', 't.contact_id')
            .whereRef('a.message_id', '=', 't.message_id')
            .where('a.problem_key', 'is not', null)
            .where('a.ended_at', 'is', null),
        ),
      ),
    )
    .orderBy('t.opened_at')
    .limit(MAX_RESOLVED_THREADS),
)

/**
 * Records the threads that the message opens at the provider and returns those to resolve. They are recorded before
 * sending: a thread is resolved later even if the answer to the opening request was lost.
 */
function* updateThreads({ orgId, contactId, claimedAt }: Claim, alerts: readonly Alert[]): DbWork<readonly string[]> {
  const problems = alerts.filter(({ kind, endedAt }) => (kind === 'opened' || kind === 'degraded') && endedAt === null)
  const messageIds = [...new Set(problems.map(({ messageId }) => messageId))]
  yield* runEach(
    openThread,
    messageIds.map((messageId) => ({ orgId, contactId, messageId, at: claimedAt })),
  )
  return (yield* all(endedThreads, { orgId, contactId })).map(({ message_id: id }) => id)
}

function alertOf(row: Selectable<AlertTable>): PendingAlert {
  return {
    num: row.num,
    id: row.change_key,
    kind: row.kind as AlertKind,
    monitorId: row.monitor_id,
    incidentId: row.incident_id,
    subject: row.subject,
    target: row.target,
    reason: row.reason,
    at: row.at,
    beganAt: row.began_at,
    endedAt: row.ended_at,
    messageId: row.message_id ?? '',
    dueAt: row.due_at ?? 0,
    attempts: row.attempts,
  }
}
