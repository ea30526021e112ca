import { sql } from 'kysely'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'
import { isoTimestampOrNull } from '../../lib/timestamp.ts'
import { type ChannelName, channelNames } from '../../notifications/contacts/channels/index.ts'
import { type Configured, problemOf } from '../../notifications/contacts/delivers.ts'
import { contactsOf } from '../../notifications/contacts/queries.ts'
import { execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { isAlertedOfOutages, uncoveredMonitors } from './find-uncovered.ts'

const MONITORS_NAMED = 3

/** What is closest to working comes first. */
const contactStates = ['USABLE', 'FAILING', 'UNCONFIRMED', 'NOT_CONFIGURED', 'NO_OUTAGES', 'DISABLED', 'NONE'] as const

type ContactState = (typeof contactStates)[number]

function contactStateOf(contacts: readonly ContactTable[], configured: Configured): ContactState {
  const states = contacts.map((contact) =>
    isAlertedOfOutages(contact, configured) ? 'USABLE' : (problemOf(contact, configured) ?? 'NO_OUTAGES'),
  )
  return contactStates.find((state) => states.some((one) => one === state)) ?? 'NONE'
}

const failingProblems = ['NOT_CONFIGURED', 'FAILING'] as const

/** Contacts that should get alerts, and do not. */
function failingContacts(contacts: readonly ContactTable[], configured: Configured) {
  return contacts.flatMap((contact) => {
    const problem = failingProblems.find((one) => one === problemOf(contact, configured))
    if (problem === undefined) return []
    return {
      id: contact.id,
      name: contact.name,
      channel: contact.channel as ChannelName,
      problem,
      failingSince: isoTimestampOrNull(contact.failing_since),
      lastError: contact.last_error,
    }
  })
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
    'A monitor is covered by an alert contact that receives alerts of outages, is enabled and confirmed, has a channel that the ' +
    'operator has set up, and whose last message arrived. Paused monitors are not counted. `GET /monitor-list?uncovered=true` lists the ' +
    'monitors that no contact covers.',
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
      failing: Type.Array(
        resource('FailingContact', {
          id: Type.String(),
          name: Type.String(),
          channel: oneOf(channelNames),
          problem: oneOf(failingProblems, { description: 'Why alerts do not reach it' }),
          failingSince: nullable(Timestamp, { description: 'The first failure since the last message that arrived' }),
          lastError: nullable(Type.String(), { description: 'Why the last message failed' }),
        }),
        { description: 'Contacts of the organization that are enabled, but that alerts do not reach' },
      ),
    }),
    description: 'The monitors that no contact covers',
  },
  *handle({ caller: { orgId }, installation: { transports } }, { query: { monitorId } }) {
    const all = yield* contactsOf(orgId)
    const state = { contacts: contactStateOf(all, transports), failing: failingContacts(all, transports) }
    const isUncovered = yield* uncoveredMonitors(orgId, transports)
    if (isUncovered === undefined) return { uncovered: 0, monitors: [], ...state }
    let matching = q
      .selectFrom('monitor_states as s')
      .innerJoin('monitors as m', 'm.num', 's.num')
      .where('s.org_id', '=', orgId)
      .where(isUncovered)
    if (monitorId !== undefined) matching = matching.where('m.id', '=', monitorId)
    const [total] = yield* execute(matching.select(sql<number>`cast(count(*) as bigint)`.as('count')))
    const uncovered = total?.count ?? 0
    const named = matching.select(['m.id', 'm.name']).orderBy('m.num').limit(MONITORS_NAMED)
    const monitors = uncovered === 0 ? [] : yield* execute(named)
    return { uncovered, monitors: monitors.map(({ id, name }) => ({ id, name })), ...state }
  },
})
