import type { Fields } from '../../configuration/kinds/fields.ts'
import { boundedName } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { type JsonObject, listOf, textOf } from '../json-files.ts'
import { type Found, readAnswers } from '../read-answers.ts'
import type { ImportResult, SourceFile } from '../result.ts'
import { timeZoneOf } from '../time-zones.ts'
import { addHeartbeatCheck, addSslCheck, addUptimeCheck, HEARTBEAT, SSL, UPTIME } from './checks.ts'

const GROUP = 'contact group'
const WINDOW = 'maintenance window'

type Kind = typeof UPTIME | typeof HEARTBEAT | typeof SSL | typeof GROUP | typeof WINDOW | 'page speed check'

/** Reads answers of the API: uptime checks as list and one by one, heartbeats, SSL checks, contact groups and windows. */
export function readStatusCake(files: readonly SourceFile[]): ImportResult {
  const unreadable: string[] = []
  const found = readAnswers(files, kindOf, unreadable)
  const collection = new Collection('statuscake')
  const all = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).map(({ item }) => item)
  const read = (kind: Kind, add: (item: JsonObject, object: SourceObject) => void) =>
    collection.readEach(
      all(kind),
      ({ id, name, website_url: url }) => ({ kind, sourceId: textOf(id), name: textOf(kind === SSL ? url : name) }),
      add,
    )
  read(UPTIME, (check, object) => addUptimeCheck(collection, object, check))
  read(HEARTBEAT, (check, object) => addHeartbeatCheck(collection, object, check))
  read(SSL, (check, object) => addSslCheck(collection, object, check))
  read('page speed check', (_check, object) =>
    collection.refuse(object, 'Pharos does not measure the speed of pages in a browser.'),
  )
  const checks = found.filter(({ kind }) => kind === UPTIME || kind === HEARTBEAT || kind === SSL)
  read(GROUP, (group, object) => addContacts(collection, object, group, checks))
  read(WINDOW, (window, object) => addWindow(collection, object, window, checks))
  return collection.result(unreadable)
}

function kindOf(item: JsonObject): Kind | undefined {
  if (!('id' in item)) return undefined
  if ('test_type' in item) return UPTIME
  if ('start_at' in item && 'end_at' in item) return WINDOW
  if ('email_addresses' in item) return GROUP
  if ('period' in item) return HEARTBEAT
  if ('alert_at' in item || 'certificate_status' in item) return SSL
  return 'website_url' in item && 'name' in item ? 'page speed check' : undefined
}

type Check = Found<Kind>

/** The keys of the monitors that checks became. */
function keysOf(collection: Collection, checks: readonly Check[]): string[] {
  return checks.flatMap(({ kind, item }) => collection.keyOf(kind, textOf(item.id)) ?? [])
}

/** A group has one contact for each address. */
function addContacts(collection: Collection, object: SourceObject, group: JsonObject, checks: readonly Check[]): void {
  const losses: string[] = []
  const phones = listOf(group.mobile_numbers).length
  if (phones > 0) losses.push(`Pharos sends no text messages: ${phones} mobile numbers are lost.`)
  const integrations = listOf(group.integrations).map(textOf)
  if (integrations.length > 0)
    losses.push(`The integrations ${integrations.join(', ')} are lost: the answer has only their ids.`)
  const own = checks.filter(({ item }) => listOf(item.contact_groups).map(textOf).includes(object.sourceId))
  const covered = { covers: 'CHOSEN', monitors: keysOf(collection, own) }
  const url = textOf(group.ping_url)
  const addresses = listOf(group.email_addresses).map((given): [string, Fields] => {
    const address = textOf(given)
    return [address, { channel: 'EMAIL', settings: { address } }]
  })
  if (url !== '') addresses.push(['webhook', { channel: 'WEBHOOK', settings: { url } }])
  if (addresses.length === 0)
    return void collection.refuse(object, ['It has no address that Pharos can alert.', ...losses].join(' '))
  const contacts = addresses.map(([recipient, contact], i) => {
    const name = i === 0 ? object.name : `${object.name.slice(0, 40)} (${recipient})`
    const fields = { name: boundedName(name, GROUP, losses), ...contact, ...covered }
    const identity = i === 0 ? object : { sourceId: `${object.sourceId} ${recipient}`, name: fields.name }
    return { recipient, identity, fields }
  })
  collection.mapContacts(object, contacts, losses)
}

const recurrences: Readonly<Record<string, Fields>> = {
  never: {},
  '1d': { recurrence: 'DAILY' },
  '1w': { recurrence: 'WEEKLY' },
  '2w': { recurrence: 'WEEKLY', recurrenceInterval: 2 },
  '1m': { recurrence: 'MONTHLY' },
}

/** Tags cover the checks that have them now. Those that get them later are not covered. */
function addWindow(collection: Collection, object: SourceObject, window: JsonObject, checks: readonly Check[]): void {
  const losses: string[] = []
  const [ids, tags] = [listOf(window.tests).map(textOf), listOf(window.tags).map(textOf)]
  const covered = checks.filter(({ kind, item }) => {
    const isTagged = listOf(item.tags)
      .map(textOf)
      .some((tag) => tags.includes(tag))
    return kind === UPTIME && (ids.includes(textOf(item.id)) || isTagged)
  })
  const monitors = keysOf(collection, covered)
  const interval = textOf(window.repeat_interval) || 'never'
  const recurrence = recurrences[interval]
  if (recurrence === undefined) collection.refuse(object, `Pharos has no recurrence of ${interval}.`)
  else if (monitors.length === 0) collection.refuse(object, 'It covers no check that is imported.')
  else {
    const timezone = timeZoneOf(textOf(window.timezone), losses)
    const startsAt = textOf(window.start_at)
    const fields = {
      name: boundedName(object.name, WINDOW, losses),
      startsAt,
      endsAt: textOf(window.end_at),
      timezone,
      ...recurrence,
      ...daysOf(recurrence.recurrence, startsAt, timezone),
      monitors,
    }
    collection.map(object, 'maintenanceWindows', fields, losses)
  }
}

function daysOf(recurrence: unknown, startsAt: string, timezone: string): Fields {
  try {
    const { day, dayOfWeek } = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timezone)
    if (recurrence === 'WEEKLY') return { daysOfWeek: [dayOfWeek] }
    return recurrence === 'MONTHLY' ? { daysOfMonth: [day] } : {}
  } catch {
    // The start is refused with the window.
    return {}
  }
}
