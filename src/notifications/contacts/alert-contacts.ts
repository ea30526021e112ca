import { hash } from 'node:crypto'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { storedReason } from '../../reasons/stored.ts'
import { allOf, batch, changedByEach, fromRows } from '../../storage/batch.ts'
import { cacheable, type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { contactsByLabels, coversMonitor } from './coverage.ts'
import { muteAlerts } from './muted-alerts.ts'
import { problemStartedBy, problemsEndedBy } from './problems.ts'
import type { AlertKind, NewAlert } from './types.ts'

const anyContact = cacheable(({ orgId }: { orgId: string }) =>
  q
    .selectFrom('contacts')
    .select('id')
    .where('org_id', '=', orgId)
    .where('enabled', '=', 1)
    .where('confirmed', '=', 1)
    .limit(1),
)

interface Change {
  orgId: string
  changeKey: string
  kind: AlertKind
  /** A LIKE pattern for `contacts.kinds`. */
  kindPattern: string
  monitorNum: number | null
  /** See `contactsByLabels`. */
  byLabels: string
  monitorId: string | null
  incidentId: string | null
  subject: string
  target: string | null
  reason: string | null
  facts: string | null
  at: number
  problemKey: string | null
  /** The problem that it ends or is about, or ''. */
  knownProblem: string
  /** 1: only contacts that were alerted of the start of that problem. */
  onlyInformed: number
  /** The address key of the contacts that need no message, or ''. */
  exceptAddress: string
}

const asText = (value: string | null): RawBuilder<string> => sql`cast(${value} as text)`
const asNumber = (value: number | null): RawBuilder<number> => sql`cast(${value} as bigint)`

const columns = [
  ...(['org_id', 'contact_id', 'change_key', 'kind', 'monitor_id', 'incident_id', 'subject', 'target'] as const),
  ...(['reason', 'facts', 'at', 'problem_key', 'due_at', 'attempts', 'began_at'] as const),
] as const

function valuesOf(c: Change) {
  const texts = [c.changeKey, c.kind, c.monitorId, c.incidentId, c.subject, c.target, c.reason, c.facts].map(asText)
  const parts: RawBuilder<unknown>[] = [
    ...texts,
    asNumber(c.at),
    asText(c.problemKey),
    asNumber(c.at),
    sql.lit(0),
    sql`o.at`,
  ]
  return parts.map((part, i) => part.as(columns[i + 2] as string))
}

/** A change that is not about a monitor concerns every contact. */
const covers = ({ monitorNum, byLabels, onlyInformed }: Pick<Change, 'monitorNum' | 'byLabels' | 'onlyInformed'>) =>
  sql<boolean>`(${asNumber(onlyInformed)} = 0 and (${asNumber(monitorNum)} is null or ${coversMonitor(asNumber(monitorNum), byLabels)}))`

/**
 * Inserts one alert for each contact that wants this kind and covers the monitor, unless it exists already. Contacts that were
 * alerted of the start of a problem get its end even if they no longer cover the monitor.
 */
const insertAlerts = statement((c: Change) =>
  q
    .insertInto('alerts')
    .columns(columns)
    .expression(
      q
        .selectFrom('contacts as c')
        .leftJoin(
          q
            .selectFrom('alerts')
            .select((is) => ['contact_id', is.fn.max('at').as('at')])
            .where('org_id', '=', c.orgId)
            .where('problem_key', '=', c.knownProblem)
            .where('ended_at', 'is', null)
            .groupBy('contact_id')
            .as('o'),
          (on) => on.onRef('o.contact_id', '=', 'c.id'),
        )
        .where('c.org_id', '=', c.orgId)
        .where('c.enabled', '=', 1)
        .where('c.confirmed', '=', 1)
        .where((is) => is.or([is('c.kinds', '=', '*'), is('c.kinds', 'like', c.kindPattern)]))
        .where((is) => is.or([is('o.at', 'is not', null), covers(c)]))
        .where((is) => is.or([is('c.address_key', 'is', null), is('c.address_key', '!=', c.exceptAddress)]))
        .select(['c.org_id', 'c.id'])
        .select(valuesOf(c)),
    )
    .onConflict((conflict) => conflict.columns(['org_id', 'change_key', 'contact_id']).doNothing()),
)

interface EndedProblem {
  orgId: string
  problemKey: string
  at: number
  /** Only problems that started before this: one that starts with the same check has not ended with it. */
  startedBefore: number
}

const endProblem = batch<EndedProblem, { i: number }>(
  { orgId: 'text', problemKey: 'text', at: 'bigint', startedBefore: 'bigint' },
  ({ orgId, problemKey, at, startedBefore }, rows) => {
    const ended = q
      .updateTable('alerts as a')
      .set({ ended_at: at })
      .where('a.org_id', '=', orgId)
      .where('a.problem_key', '=', problemKey)
      .where('a.ended_at', 'is', null)
      .where('a.at', '<', startedBefore)
    return (rows === undefined ? ended : fromRows(ended, rows).returning(rows.index)) as typeof ended
  },
)

/**
 * Makes contacts due. A claimed contact keeps its `due_at`, but its row is written nevertheless: its holder then waits
 * for this transaction before it looks for further alerts and releases the claim. A contact that is due already is not
 * written, so that the transactions of a storm do not wait for each other; `wakeOverlooked` covers the gap this leaves.
 */
const makingDue = (orgId: string, at: number, held: RawBuilder<number>, chosen: Expression<SqlBool>) =>
  q
    .updateTable('contacts')
    .set({
      due_at: sql`case when claimed_by is not null then due_at when ${held} > ${at} then ${held} else ${at} end`,
    })
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      q
        .selectFrom('contacts')
        .select('id')
        .where('org_id', '=', orgId)
        .where('enabled', '=', 1)
        .where('confirmed', '=', 1)
        .where(sql<boolean>`(claimed_by is not null or due_at is null or (due_at > ${at} and due_at > ${held}))`)
        .where(chosen)
        // In one order in every transaction: two that lock the same contacts cannot deadlock.
        .orderBy('id')
        .forNoKeyUpdate(),
    )

/** Until when messages wait, and until when even those about a new outage do. */
const heldUntil = sql<number>`hold_until`
const refusedUntil = sql<number>`refused_until`

/** Includes contacts that do not cover the monitor; making those due is harmless. */
const makingContactsDue = (held: RawBuilder<number>) =>
  statement(({ orgId, kindPattern, at }: Pick<Change, 'orgId' | 'kindPattern' | 'at'>) =>
    makingDue(orgId, at, held, sql<boolean>`(kinds = '*' or kinds like ${kindPattern})`),
  )

const makeContactsDue = makingContactsDue(heldUntil)
const makeContactsUrgentlyDue = makingContactsDue(refusedUntil)

const makeContactsWithThreadsDue = statement(({ orgId, at }: { orgId: string; at: number }) =>
  makingDue(orgId, at, heldUntil, sql<boolean>`id in (select contact_id from alert_threads where org_id = ${orgId})`),
)

/**
 * Queues an alert for every contact that wants it, in the transaction of the change. Idempotent per change. Costs one
 * query if the organization has no contacts.
 */
export function* alertContacts(alert: NewAlert): DbWork<void> {
  const { orgId, kind, at } = alert
  if ((yield* first(anyContact, { orgId })) === undefined) return
  const kindPattern = `%,${kind},%`
  const byLabels = yield* contactsByLabels(orgId, alert.monitorNum)
  const problemKey = problemStartedBy(alert)
  const { monitorId, incidentId, target, subject, reason } = alert
  const changeKey =
    incidentId === null ? changeKeyOf(kind, monitorId ?? target ?? subject, at) : changeKeyOf(kind, incidentId)
  const [endedProblem, ...others] = problemsEndedBy(alert)
  const onlyInformed = kind === 'acknowledged'
  yield* run(insertAlerts, {
    ...alert,
    reason: reason && storedReason(reason),
    changeKey,
    kindPattern,
    byLabels,
    problemKey,
    facts: alert.facts === undefined ? null : JSON.stringify(alert.facts),
    knownProblem: endedProblem ?? (onlyInformed ? (incidentId ?? '') : ''),
    onlyInformed: onlyInformed ? 1 : 0,
    exceptAddress: alert.exceptAddress ?? '',
  })
  if (endedProblem !== undefined) {
    yield* allOf(endProblem, [
      { orgId, problemKey: endedProblem, at, startedBefore: at + 1 },
      ...others.map((problemKey) => ({ orgId, problemKey, at, startedBefore: at })),
    ])
  }
  if (alert.monitorNum !== null) {
    yield* muteAlerts({ orgId, monitorNum: alert.monitorNum, changeKey, at }, endedProblem)
  }
  yield* run(kind === 'opened' ? makeContactsUrgentlyDue : makeContactsDue, { orgId, kindPattern, at })
}

/**
 * Ends the problems of monitors without an alert: they were deleted, or came up during maintenance. Only threads at providers
 * are resolved, which would otherwise stay open.
 */
export function* endProblemsSilently(
  orgId: string,
  problems: readonly Pick<NewAlert, 'monitorId' | 'incidentId'>[],
  at: number,
): DbWork<void> {
  if ((yield* first(anyContact, { orgId })) === undefined) return
  const keys = problems.flatMap((problem) => problemsEndedBy({ ...problem, kind: 'resolved' }))
  const ended = yield* changedByEach(
    endProblem,
    keys.map((problemKey) => ({ orgId, problemKey, at, startedBefore: at + 1 })),
  )
  if (ended.includes(true)) yield* run(makeContactsWithThreadsDue, { orgId, at })
}

/** An incident opens and resolves once; other changes can recur and are distinguished by their time. */
export function changeKeyOf(
  ...identity: readonly [AlertKind, incident: string] | readonly [AlertKind, string, at: number]
): string {
  return `alr_${hash('sha256', JSON.stringify(identity)).slice(0, 32)}`
}
