import { sql } from 'kysely'
import { parseStored } from '../../lib/json.ts'
import { reasonIn } from '../../reasons/stored.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { holdFlapping } from './chain/hold-flapping.ts'
import { takeDue } from './chain/take-due.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { type Claim, contactQueue } from './claim.ts'
import { withDetails } from './details.ts'
import { dropPendingAlerts } from './enable.ts'
import { type Flapping, flappingMonitors, withOutages } from './flapping.ts'
import { withLastFailures } from './last-failures.ts'
import { holdMutedAlerts, muteEnd } from './muted-alerts.ts'
import { organizationOf } from './queries.ts'
import type { Alert, PendingAlert } from './types.ts'

/** The alerts for one message to a claimed contact. */
export interface Batch {
  readonly claim: Claim
  readonly contact: ContactTable
  /** Its organization. */
  readonly organization: { readonly name: string; readonly timezone: string }
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
const MAX_ONGOING = 1_000
/** Each resolved thread is a request of its own. */
const MAX_RESOLVED_THREADS = 100

/**
 * Collects the alerts for the next message: those still waiting for a retry, and new ones, which are marked with
 * `messageId`. Undefined if there is nothing to send, the contact is disabled or not confirmed, or the claim has
 * ended. Alerts of muted monitors are held back.
 * A new outage is listed together with the ongoing outages sent within the last `stormMs`.
 */
export function* collectBatch(claim: Claim, messageId: string, stormMs: number): DbWork<Batch | undefined> {
  const { org_id: orgId, claimedAt } = claim
  const [contact] = yield* execute(contactQueue.selectClaimed(claim).selectAll().forNoKeyUpdate())
  if (contact === undefined) return undefined
  if (contact.enabled === 0 || contact.confirmed === 0) {
    yield* dropPendingAlerts(orgId, contact.id, claimedAt)
    return undefined
  }
  yield* holdMutedAlerts(orgId, contact.id, claimedAt)
  const flapping = yield* flappingMonitors(claim)
  // Those of an earlier message first, which is repeated as a whole, then the longest due.
  const pending = selectAlerts()
    .where('org_id', '=', orgId)
    .where('contact_id', '=', claim.id)
    .where('due_at', 'is not', null)
    .orderBy(sql`case when message_id is null then 1 else 0 end`)
    .orderBy('due_at')
    .orderBy('num')
    .limit(MAX_ALERTS_PER_MESSAGE)
  const alerts = yield* chooseFrom((yield* execute(pending)).map(alertIn), claim, messageId, flapping)
  const { tracksIncidents } = channels[contact.channel as ChannelName]
  const resolvedThreads = tracksIncidents ? yield* updateThreads(claim, alerts) : undefined
  if (alerts.length === 0 && !resolvedThreads?.length) return undefined
  const hasNewOutage = alerts.some(({ kind, endedAt }) => kind === 'opened' && endedAt === null)
  const outages = selectAlerts()
    .where('contact_id', '=', claim.id)
    .where('problem_key', 'is not', null)
    .where('ended_at', 'is', null)
    .where('kind', '=', 'opened')
    .where('outcome', '=', 'SENT')
    .where('settled_at', '>=', claimedAt - stormMs)
    .where(muteEnd(claimedAt), 'is', null)
    .orderBy('num')
    .limit(MAX_ONGOING)
  const ongoing = hasNewOutage ? (yield* execute(outages)).map(alertIn) : []
  const organization = yield* organizationOf(orgId)
  const detailed = yield* withDetails(orgId, yield* withLastFailures(orgId, alerts))
  return {
    claim,
    contact,
    organization,
    alerts: detailed,
    ongoing,
    flapping: yield* withOutages(claim, flapping),
    ...(resolvedThreads && { resolvedThreads }),
  }
}

const selectAlerts = () =>
  q
    .selectFrom('alerts')
    .select(['num', 'change_key as id', 'kind', 'monitor_id as monitorId', 'incident_id as incidentId', 'subject'])
    .select(['target', 'reason', 'facts', 'at', 'began_at as beganAt', 'ended_at as endedAt', 'attempts'])
    .select(sql`coalesce(message_id, '')`.as('messageId'))
    .select(sql`coalesce(due_at, 0)`.as('dueAt'))
    .$castTo<StoredAlert>()

type StoredAlert = Omit<PendingAlert, 'reason' | 'facts'> & {
  readonly reason: string | null
  readonly facts: string | null
}

function alertIn({ reason, facts, ...alert }: StoredAlert): PendingAlert {
  const own = facts !== null && { facts: parseStored(facts) }
  return { ...alert, reason: reason === null ? null : reasonIn(reason), ...own }
}

/** Runs the chain, and writes what it changes. */
function* chooseFrom(
  unsent: readonly PendingAlert[],
  { org_id: orgId, id: contactId, claimedAt: now }: Claim,
  newMessageId: string,
  flapping: readonly Flapping[],
): DbWork<readonly PendingAlert[]> {
  const postponed = holdFlapping(unsent, flapping, now)
  const chosen = takeDue(postponed, now)
  const isNew = ({ messageId }: PendingAlert) => messageId === ''
  const later = Map.groupBy(
    postponed.filter((alert, i) => alert !== unsent[i]),
    ({ dueAt }) => dueAt,
  )
  const update = q.updateTable('alerts').where('org_id', '=', orgId).where('contact_id', '=', contactId)
  for (const [dueAt, alerts] of later) {
    yield* execute(
      update.set({ due_at: dueAt }).where(
        'num',
        'in',
        alerts.map(({ num }) => num),
      ),
    )
  }
  const first = chosen.filter(isNew).map(({ num }) => num)
  if (first.length > 0) yield* execute(update.set({ message_id: newMessageId }).where('num', 'in', first))
  return chosen
    .map((alert) => (isNew(alert) ? { ...alert, messageId: newMessageId } : alert))
    .sort((a, b) => a.num - b.num)
}

/**
 * Records the threads that the message opens at the provider and returns those to resolve, none of whose problems is still open.
 * They are recorded before sending: a thread is resolved later even if the answer to the opening request was lost.
 */
function* updateThreads(claim: Claim, alerts: readonly Alert[]): DbWork<readonly string[]> {
  const key = { org_id: claim.org_id, contact_id: claim.id }
  const problems = alerts.filter(({ kind, endedAt }) => (kind === 'opened' || kind === 'degraded') && endedAt === null)
  const opened = [...new Set(problems.map(({ messageId }) => messageId))].map((messageId) => {
    return { ...key, message_id: messageId, opened_at: claim.claimedAt }
  })
  if (opened.length > 0) {
    yield* execute(
      q
        .insertInto('alert_threads')
        .values(opened)
        .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'message_id']).doNothing()),
    )
  }
  const ended = yield* execute(
    q
      .selectFrom('alert_threads as t')
      .select('t.message_id')
      .where('t.org_id', '=', key.org_id)
      .where('t.contact_id', '=', key.contact_id)
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
  return ended.map(({ message_id: id }) => id)
}
