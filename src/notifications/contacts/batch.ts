import { type Selectable, sql } from 'kysely'
import { all, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { AlertTable, ContactTable } from '../../storage/schema/contacts.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Claim, type ContactLease, contactQueue } from './claim.ts'
import { dropPendingAlerts } from './enable.ts'
import type { Flapping } from './flapping.ts'
import { holdFlappingAlerts } from './hold-alerts.ts'
import { organizationName } from './queries.ts'
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

interface PendingAlert extends Alert {
  readonly dueAt: number
  readonly attempts: number
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

/** Alerts that were never part of a message have no message id yet. One that is held is due later than it was queued. */
const isUnsent = (now: number) => sql<boolean>`(message_id is null and (due_at = at or due_at <= ${now}))`

const lastUnsent = statement(({ orgId, contactId, now, limit }: ContactKey & { now: number; limit: number }) =>
  q
    .selectFrom(
      pending({ orgId, contactId }).where(isUnsent(now)).select('num').orderBy('num').limit(limit).as('unsent'),
    )
    .select((is) => is.fn.max('unsent.num').as('num')),
)

const assignMessage = statement(
  ({ orgId, contactId, now, messageId, last }: ContactKey & { now: number; messageId: string; last: number }) =>
    q
      .updateTable('alerts')
      .set({ message_id: messageId })
      .where('org_id', '=', orgId)
      .where('contact_id', '=', contactId)
      .where('due_at', 'is not', null)
      .where(isUnsent(now))
      .where('num', '<=', last),
)

const toSend = statement((key: ContactKey) =>
  pending(key).selectAll().where('message_id', 'is not', null).orderBy('num'),
)

const countRetried = statement((key: ContactKey) =>
  pending(key)
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('message_id', 'is not', null),
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
  const limit = Math.max(0, MAX_ALERTS_PER_MESSAGE - ((yield* first(countRetried, claim))?.n ?? 0))
  const flapping = yield* holdFlappingAlerts(claim)
  const last = (yield* first(lastUnsent, { orgId, contactId, now: claim.claimedAt, limit }))?.num
  if (last != null) yield* run(assignMessage, { orgId, contactId, now: claim.claimedAt, messageId, last })
  const alerts = (yield* all(toSend, claim)).map(alertOf)
  const { tracksIncidents } = channels[contact.channel as ChannelName]
  const resolvedThreads = tracksIncidents ? yield* updateThreads(claim, alerts) : undefined
  if (alerts.length === 0 && !resolvedThreads?.length) return undefined
  const hasNewOutage = alerts.some(({ kind, endedAt }) => kind === 'opened' && endedAt === null)
  const since = claim.claimedAt - stormMs
  const ongoing = hasNewOutage ? (yield* all(ongoingOutages, { contactId, since })).map(alertOf) : []
  const organization = yield* organizationName(orgId)
  return { claim, contact, organization, alerts, ongoing, flapping, ...(resolvedThreads && { resolvedThreads }) }
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
