import type { Selectable } from 'kysely'
import { all, first, q, run, runEach, statement, type Work } from '../../storage/query.ts'
import type { AlertTable, ContactTable } from '../../storage/schema-contacts.ts'
import { type ChannelName, channels } from './channels/index.ts'
import { dropWaiting } from './enable.ts'
import type { Alert, AlertKind } from './types.ts'

/** Longer than any message can take. A node that dies is noticed sooner (see release.ts); this is for one that hangs. */
export const LEASE_MS = 180_000

/** Further ones wait for the next message: nobody reads so many, and a transaction must stay small. */
const MOST_AT_ONCE = 5_000

/** A contact that is ours to send to. */
export interface Claim {
  readonly orgId: string
  readonly contactId: string
  readonly node: string
  readonly at: number
  /** When it ends; what it is known by. */
  readonly until: number
}

/** What is to be sent, with all that deciding about it will need. */
export interface Batch {
  readonly claim: Claim
  readonly contact: ContactTable
  readonly alerts: readonly WaitingAlert[]
  /** Outages that the message before this one told of and that go on, where there are new ones: a storm is shown whole. */
  readonly still: readonly Alert[]
  /** Present where the service keeps incidents: notices all of whose troubles have ended. */
  readonly over?: readonly string[]
}

export interface WaitingAlert extends Alert {
  readonly dueAt: number
  readonly attempts: number
}

interface Taking {
  before: number
  until: number
  node: string
  limit: number
}

const takeSound = statement(({ before, until, node, limit }: Taking) =>
  taking(until, node, due(before).where('failing_since', 'is', null).limit(limit)),
)

const takeFailing = statement(({ before, until, node, limit }: Taking) =>
  taking(until, node, due(before).where('failing_since', 'is not', null).limit(limit)),
)

function due(before: number) {
  // An alert that is being written holds its contact's key, which must not keep anybody from claiming it.
  return q
    .selectFrom('contacts')
    .select('id')
    .where('due_at', '<=', before)
    .orderBy('due_at')
    .forNoKeyUpdate()
    .skipLocked()
}

function taking(until: number, node: string, ids: ReturnType<typeof due>) {
  return q
    .updateTable('contacts')
    .set({ due_at: until, claimed_by: node })
    .where('id', 'in', ids)
    .returning(['org_id', 'id'])
}

export interface Wanted {
  readonly node: string
  readonly now: number
  /** Due since then. */
  readonly before: number
  readonly limit: number
  /** Those that failed the last time, or those that did not. */
  readonly failing: boolean
}

/** Claims contacts that are due, the longest due first. Nobody else sends to them until it is settled or the claim ends. */
export function* claimDue({ node, now, before, limit, failing }: Wanted): Work<readonly Claim[]> {
  if (limit <= 0) return []
  const until = now + LEASE_MS
  const taken = yield* all(failing ? takeFailing : takeSound, { before, until, node, limit })
  return taken.map(({ org_id: orgId, id }) => ({ orgId, contactId: id, node, at: now, until }))
}

interface Held {
  orgId: string
  contactId: string
  node: string
  until: number
}

const held = statement(({ orgId, contactId, node, until }: Held) =>
  q
    .selectFrom('contacts')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', contactId)
    .where('claimed_by', '=', node)
    .where('due_at', '=', until)
    .forNoKeyUpdate(),
)

interface Whose {
  orgId: string
  contactId: string
}

const waiting = ({ orgId, contactId }: Whose) =>
  q.selectFrom('alerts').where('org_id', '=', orgId).where('contact_id', '=', contactId).where('due_at', 'is not', null)

const fresh = (whose: Whose) => waiting(whose).where('notice', 'is', null)

/** The last of those that there is room for. */
const lastOfNew = statement(({ orgId, contactId, most }: Whose & { most: number }) =>
  q
    .selectFrom(fresh({ orgId, contactId }).select('num').orderBy('num').limit(most).as('some'))
    .select((is) => is.fn.max('some.num').as('num')),
)

const takeNew = statement(({ orgId, contactId, notice, last }: Whose & { notice: string; last: number }) =>
  q
    .updateTable('alerts')
    .set({ notice })
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null)
    .where('notice', 'is', null)
    .where('num', '<=', last),
)

const toSend = statement((whose: Whose) => waiting(whose).selectAll().where('notice', 'is not', null).orderBy('num'))

const countTried = statement((whose: Whose) =>
  waiting(whose)
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('notice', 'is not', null),
)

/**
 * Gathers what a claimed contact is to be told: what is new, under a notice of its own, and with it whatever is still
 * waiting for another attempt. Undefined where there is nothing to say, or nobody to say it to. What was told within the
 * last `stormMs` belongs to the same storm as what is new.
 */
export function* gather(claim: Claim, notice: string, stormMs: number): Work<Batch | undefined> {
  const { orgId, contactId } = claim
  const contact = yield* first(held, claim)
  if (contact === undefined) return undefined
  if (contact.enabled === 0) {
    yield* run(dropWaiting, { orgId, id: contactId, now: claim.at })
    return undefined
  }
  const most = Math.max(0, MOST_AT_ONCE - ((yield* first(countTried, claim))?.n ?? 0))
  const last = (yield* first(lastOfNew, { orgId, contactId, most }))?.num
  if (last != null) yield* run(takeNew, { orgId, contactId, notice, last })
  const alerts = (yield* all(toSend, claim)).map(alertOf)
  const over = channels[contact.channel as ChannelName].keepsIncidents ? yield* keepThreads(claim, alerts) : undefined
  if (alerts.length === 0 && !over?.length) return undefined
  const isStorm = alerts.some(({ kind, endedAt }) => kind === 'opened' && endedAt === null)
  const still = isStorm ? (yield* all(goingOn, { contactId, since: claim.at - stormMs })).map(alertOf) : []
  return { claim, contact, alerts, still, ...(over && { over }) }
}

/** More than any message lists. */
const MOST_STILL = 300

const goingOn = statement(({ contactId, since }: { contactId: string; since: number }) =>
  q
    .selectFrom('alerts')
    .selectAll()
    .where('contact_id', '=', contactId)
    .where('trouble', 'is not', null)
    .where('ended_at', 'is', null)
    .where('kind', '=', 'opened')
    .where('outcome', '=', 'SENT')
    .where('settled_at', '>=', since)
    .orderBy('num')
    .limit(MOST_STILL),
)

const openThread = statement(({ orgId, contactId, notice, at }: Whose & { notice: string; at: number }) =>
  q
    .insertInto('alert_threads')
    .values({ org_id: orgId, contact_id: contactId, notice, opened_at: at })
    .onConflict((conflict) => conflict.columns(['org_id', 'contact_id', 'notice']).doNothing()),
)

const threadsOver = statement(({ orgId, contactId }: Whose) =>
  q
    .selectFrom('alert_threads as t')
    .select('t.notice')
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
            .whereRef('a.notice', '=', 't.notice')
            .where('a.trouble', 'is not', null)
            .where('a.ended_at', 'is', null),
        ),
      ),
    )
    .orderBy('t.opened_at')
    .limit(MOST_OVER_AT_ONCE),
)

/** Each is a request of its own. More than a few are rare, for each began with a message of its own. */
const MOST_OVER_AT_ONCE = 100

/**
 * Notes what is about to begin at the service, before it is sent: should nobody learn whether it arrived, its end will
 * be told all the same. Gives what is over there.
 */
function* keepThreads({ orgId, contactId, at }: Claim, alerts: readonly Alert[]): Work<readonly string[]> {
  const beginnings = alerts.filter(
    ({ kind, endedAt }) => (kind === 'opened' || kind === 'degraded') && endedAt === null,
  )
  const notices = [...new Set(beginnings.map(({ notice }) => notice))]
  yield* runEach(
    openThread,
    notices.map((notice) => ({ orgId, contactId, notice, at })),
  )
  return (yield* all(threadsOver, { orgId, contactId })).map(({ notice }) => notice)
}

function alertOf(row: Selectable<AlertTable>): WaitingAlert {
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
    notice: row.notice ?? '',
    dueAt: row.due_at ?? 0,
    attempts: row.attempts,
  }
}
