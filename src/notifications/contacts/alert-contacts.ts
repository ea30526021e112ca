import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { cacheable, type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import { problemStartedBy, problemsEndedBy } from './problems.ts'
import type { AlertKind, NewAlert } from './types.ts'

const anyContact = cacheable(({ orgId }: { orgId: string }) =>
  q.selectFrom('contacts').select('id').where('org_id', '=', orgId).where('enabled', '=', 1).limit(1),
)

interface Change {
  orgId: string
  changeKey: string
  kind: AlertKind
  wanted: string
  monitorNum: number | null
  monitorId: string | null
  incidentId: string | null
  subject: string
  target: string | null
  reason: string | null
  at: number
  trouble: string | null
}

interface Ending extends Change {
  /** The trouble that this ends. */
  ends: string
}

const asText = (value: string | null): RawBuilder<string> => sql`cast(${value} as text)`
const asNumber = (value: number | null): RawBuilder<number> => sql`cast(${value} as bigint)`

const columns = [
  ...(['org_id', 'contact_id', 'change_key', 'kind', 'monitor_id', 'incident_id', 'subject', 'target'] as const),
  ...(['reason', 'at', 'problem_key', 'due_at', 'attempts', 'began_at'] as const),
] as const

function valuesOf(c: Change, beganAt: RawBuilder<number | null>) {
  const texts = [c.changeKey, c.kind, c.monitorId, c.incidentId, c.subject, c.target, c.reason].map(asText)
  const parts: RawBuilder<unknown>[] = [
    ...texts,
    asNumber(c.at),
    asText(c.trouble),
    asNumber(c.at),
    sql.lit(0),
    beganAt,
  ]
  return parts.map((part, i) => part.as(columns[i + 2] as string))
}

/** Who wants this kind of alert. A contact covers a monitor where having an exception for it is other than its rule. */
const wanting = ({ orgId, wanted }: Pick<Change, 'orgId' | 'wanted'>) =>
  q
    .selectFrom('contacts as c')
    .where('c.org_id', '=', orgId)
    .where('c.enabled', '=', 1)
    .where((is) => is.or([is('c.kinds', '=', '*'), is('c.kinds', 'like', wanted)]))

const covers = (num: number | null) => sql<boolean>`(${asNumber(num)} is null or c.covers_all <> (
  select count(*) from contact_exceptions x
  where x.org_id = c.org_id and x.contact_id = c.id and x.monitor_num = ${asNumber(num)}))`

/** One alert for each contact that wants this kind and covers this monitor. A contact and a change meet once. */
const tell = statement((c: Change) =>
  q
    .insertInto('alerts')
    .columns(columns)
    .expression(
      wanting(c)
        .where(covers(c.monitorNum))
        .select(['c.org_id', 'c.id'])
        .select(valuesOf(c, sql`cast(null as bigint)`)),
    )
    .onConflict((conflict) => conflict.columns(['org_id', 'change_key', 'contact_id']).doNothing()),
)

/** Who was told of the beginning is told of the end, whatever it covers by now, and how long it took. */
const tellEnd = statement((c: Ending) =>
  q
    .insertInto('alerts')
    .columns(columns)
    .expression(
      wanting(c)
        .leftJoin(
          q
            .selectFrom('alerts')
            .select((is) => ['contact_id', is.fn.max('at').as('at')])
            .where('org_id', '=', c.orgId)
            .where('problem_key', '=', c.ends)
            .where('ended_at', 'is', null)
            .groupBy('contact_id')
            .as('o'),
          (on) => on.onRef('o.contact_id', '=', 'c.id'),
        )
        .where((is) => is.or([is('o.at', 'is not', null), covers(c.monitorNum)]))
        .select(['c.org_id', 'c.id'])
        .select(valuesOf(c, sql`o.at`)),
    )
    .onConflict((conflict) => conflict.columns(['org_id', 'change_key', 'contact_id']).doNothing()),
)

interface Over {
  orgId: string
  trouble: string
  at: number
  /** Only what began earlier than this: what begins with the same check is not over with it. */
  before: number
}

const endTrouble = statement(({ orgId, trouble, at, before }: Over) =>
  q
    .updateTable('alerts')
    .set({ ended_at: at })
    .where('org_id', '=', orgId)
    .where('problem_key', '=', trouble)
    .where('ended_at', 'is', null)
    .where('at', '<', before),
)

/**
 * Has the sender look at contacts. A claim stands, and is written all the same: whoever has it waits for this transaction
 * before it looks for more and lets go. Whoever is due already is left alone, so that the changes of a storm do not wait
 * for each other; what could be overlooked so is found again (see release.ts).
 */
const making = (orgId: string, at: number) =>
  q
    .updateTable('contacts')
    .set({
      due_at: sql`case when claimed_by is not null then due_at when hold_until > ${at} then hold_until else ${at} end`,
    })
    .where('org_id', '=', orgId)
    .where('enabled', '=', 1)
    .where(sql<boolean>`(claimed_by is not null or due_at is null or (due_at > ${at} and due_at > hold_until))`)

/** Those who want this kind; to look in vain costs little. */
const makeDue = statement(({ orgId, wanted, at }: Pick<Change, 'orgId' | 'wanted' | 'at'>) =>
  making(orgId, at).where((is) => is.or([is('kinds', '=', '*'), is('kinds', 'like', wanted)])),
)

/** Those at whose service something is open. */
const makeKeepersDue = statement(({ orgId, at }: { orgId: string; at: number }) =>
  making(orgId, at).where('id', 'in', q.selectFrom('alert_threads').select('contact_id').where('org_id', '=', orgId)),
)

/**
 * Tells the contacts of an organization of a change, in the transaction of the change. Called twice for one change it
 * tells once. Where there is no contact it is one look.
 */
export function* alertContacts(alert: NewAlert): DbWork<void> {
  const { orgId, kind, at } = alert
  if ((yield* first(anyContact, { orgId })) === undefined) return
  const wanted = `%,${kind},%`
  const change: Change = { ...alert, changeKey: keyOf(alert), wanted, trouble: problemStartedBy(alert) }
  const [ends, ...others] = problemsEndedBy(alert)
  if (ends === undefined) yield* run(tell, change)
  else {
    yield* run(tellEnd, { ...change, ends })
    const over = [{ orgId, trouble: ends, at, before: at + 1 }]
    yield* runEach(endTrouble, [...over, ...others.map((trouble) => ({ orgId, trouble, at, before: at }))])
  }
  yield* run(makeDue, { orgId, wanted, at })
}

/**
 * Ends what contacts were told of, without a word to people: where a monitor is deleted or paused, or comes up during
 * maintenance. Only services that keep incidents hear of it, for theirs would stay open for ever.
 */
export function* endProblemsSilently(gone: Pick<NewAlert, 'orgId' | 'monitorId' | 'incidentId' | 'at'>): DbWork<void> {
  const { orgId, at } = gone
  if ((yield* first(anyContact, { orgId })) === undefined) return
  const troubles = problemsEndedBy({ ...gone, kind: 'resolved' })
  const ended = yield* runEach(
    endTrouble,
    troubles.map((trouble) => ({ orgId, trouble, at, before: at + 1 })),
  )
  if (ended.some((count) => count > 0)) yield* run(makeKeepersDue, { orgId, at })
}

/** An incident begins and ends once; of what is not an incident, the moment makes the difference. */
function keyOf({ kind, incidentId, monitorId, target, subject, at }: NewAlert): string {
  const what = incidentId === null ? [kind, monitorId ?? target ?? subject, at] : [kind, incidentId]
  return `alr_${createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 32)}`
}
