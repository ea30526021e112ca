import { sql } from 'kysely'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { oneOf, resource } from '../../contract/schema.ts'
import { parseSelector } from '../../lib/selector.ts'
import { monitorNumOf } from '../../notifications/contacts/attach.ts'
import { contactsByLabels, coversMonitor } from '../../notifications/contacts/covers.ts'
import { parseKinds } from '../../notifications/contacts/kinds.ts'
import { contactsOf } from '../../notifications/contacts/queries.ts'
import { selectMonitors } from '../../storage/labels/select.ts'
import { type DbWork, execute, first, q, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

const MONITORS_NAMED = 3

const contactStates = ['NONE', 'UNCONFIRMED', 'DISABLED', 'NO_OUTAGES', 'USABLE'] as const

/** Why contacts would or would not be alerted of an outage: what is closest to working comes first. */
function contactStateOf(contacts: readonly ContactTable[]): (typeof contactStates)[number] {
  if (contacts.some(isUsable)) return 'USABLE'
  const enabled = contacts.filter(({ enabled }) => enabled === 1)
  if (enabled.some(({ confirmed }) => confirmed === 0)) return 'UNCONFIRMED'
  if (enabled.length > 0) return 'NO_OUTAGES'
  return contacts.length > 0 ? 'DISABLED' : 'NONE'
}

/** Whether a contact is alerted of outages of the monitors that it covers. */
function isUsable({ enabled, confirmed, kinds }: ContactTable): boolean {
  return enabled === 1 && confirmed === 1 && parseKinds(kinds).includes('opened')
}

/** Paused monitors raise no alerts, so nobody has to cover them. `byLabels`: see `contactsByLabels`. */
const uncovered = (orgId: string, byLabels: string) =>
  q
    .selectFrom('monitors as m')
    .innerJoin('monitor_states as s', (on) => on.onRef('s.num', '=', 'm.num').onRef('s.org_id', '=', 'm.org_id'))
    .where('m.org_id', '=', orgId)
    .where('s.state', '!=', 'PAUSED')
    .where(
      sql<boolean>`not exists (
        select 1 from contacts c
        where c.org_id = m.org_id and c.enabled = 1 and c.confirmed = 1
          and (c.kinds = '*' or c.kinds like '%,opened,%')
          and ${coversMonitor(sql`m.num`, byLabels)})`,
    )

/** Of all monitors: without those that the contacts cover by their labels. */
function* uncoveredOfAll(orgId: string, contacts: readonly ContactTable[]) {
  let query = uncovered(orgId, '')
  const selectors = new Set(contacts.flatMap((one) => (isUsable(one) && one.selector !== null ? [one.selector] : [])))
  for (const selector of selectors) {
    const { atMost, nums } = yield* selectMonitors(orgId, parseSelector(selector))
    if (atMost !== 0) query = query.where(sql<boolean>`m.num not in (${nums})`)
  }
  return query
}

function* uncoveredOfOne(orgId: string, monitorId: string) {
  const num = yield* monitorNumOf(orgId, monitorId)
  return uncovered(orgId, yield* contactsByLabels(orgId, num ?? null)).where('m.id', '=', monitorId)
}

const anyException = statement(({ orgId, contactId }: { orgId: string; contactId: string }) =>
  q
    .selectFrom('contact_exceptions')
    .select('monitor_num')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .limit(1),
)

/** The usual case, decided without reading the monitors: a contact gets the alerts of all of them. */
function* coversEverything(contacts: readonly ContactTable[]): DbWork<boolean> {
  for (const { org_id: orgId, id: contactId } of contacts.filter((one) => isUsable(one) && one.covers === 'ALL')) {
    if ((yield* first(anyException, { orgId, contactId })) === undefined) return true
  }
  return false
}

export const getAlertCoverage = operation({
  id: 'getAlertCoverage',
  extension: true,
  method: 'GET',
  path: '/alert-coverage',
  access: 'read',
  tag: 'Insight',
  summary: 'Get the monitors whose outages nobody would be alerted of',
  description:
    'A monitor is covered by an alert contact that is enabled, confirmed and receives alerts of outages. Paused monitors ' +
    'are not counted.',
  query: Type.Object({
    monitorId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Only this monitor' })),
  }),
  answer: {
    status: 200,
    schema: resource('AlertCoverage', {
      uncovered: Type.Integer({ description: 'Number of monitors that no contact covers' }),
      monitors: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
        description: `The first ${MONITORS_NAMED} of them`,
      }),
      contacts: oneOf(contactStates, {
        description: 'The state of the contact that is closest to receiving alerts of outages',
      }),
    }),
    description: 'The monitors that no contact covers',
  },
  *handle({ caller: { orgId } }, { query: { monitorId } }) {
    const contacts = yield* contactsOf(orgId)
    const state = contactStateOf(contacts)
    if (yield* coversEverything(contacts)) return { uncovered: 0, monitors: [], contacts: state }
    const matching =
      monitorId === undefined ? yield* uncoveredOfAll(orgId, contacts) : yield* uncoveredOfOne(orgId, monitorId)
    const [total] = yield* execute(matching.select(sql<number>`cast(count(*) as bigint)`.as('count')))
    const count = total?.count ?? 0
    const some = matching.select(['m.id', 'm.name']).orderBy('m.num').limit(MONITORS_NAMED)
    const monitors = count === 0 ? [] : yield* execute(some)
    return { uncovered: count, monitors: monitors.map(({ id, name }) => ({ id, name })), contacts: state }
  },
})
