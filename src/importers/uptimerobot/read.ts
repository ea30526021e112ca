import type { Fields } from '../../configuration/kinds/fields.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { boundedName } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { type JsonObject, textOf } from '../json-files.ts'
import { readAnswers } from '../read-answers.ts'
import type { ImportResult, SourceFile } from '../result.ts'
import { localWindow } from '../windows.ts'
import { addMonitor, MONITOR } from './monitors.ts'
import {
  contactId,
  contactIn,
  monitorIn,
  pageIn,
  type RobotContact,
  type RobotMonitor,
  type RobotPage,
  type RobotWindow,
  windowIn,
} from './objects.ts'
import { contactOfVersion2, isVersion2, monitorOfVersion2, pageOfVersion2, windowOfVersion2 } from './version-2.ts'

const CONTACT = 'alert contact'
const WINDOW = 'maintenance window'
const PAGE = 'status page'

type Kind = typeof MONITOR | typeof CONTACT | typeof WINDOW | typeof PAGE | 'group'

/** Reads answers of the API, versions 2 and 3: monitors, alert contacts, maintenance windows, status pages and groups. */
export function readUptimeRobot(files: readonly SourceFile[]): ImportResult {
  const unreadable: string[] = []
  const found = readAnswers(files, kindOf, unreadable)
  const collection = new Collection('uptimerobot')
  const all = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).map(({ item }) => item)
  const groupNames = new Map(all('group').map(({ id, name }) => [textOf(id), textOf(name)]))
  const read = <Result>(
    kind: Kind,
    ofVersion2: (item: JsonObject) => JsonObject,
    add: (item: JsonObject, object: SourceObject) => Result,
  ): Result[] =>
    collection.readEach(all(kind), objectWith(kind), (item, object) =>
      add(isVersion2(item) ? ofVersion2(item) : item, object),
    )
  const monitors = read(MONITOR, monitorOfVersion2, (item, object) => {
    const monitor = monitorIn(item)
    addMonitor(collection, object, monitor, groupNames)
    return monitor
  })
  const contacts = read(CONTACT, contactOfVersion2, (item, object) => {
    const contact = contactIn(item)
    addContact(collection, object, contact, monitors)
    return contact
  })
  read(WINDOW, windowOfVersion2, (item, object) => addWindow(collection, object, windowIn(item), monitors))
  read(PAGE, pageOfVersion2, (item, object) => addPage(collection, object, pageIn(item), monitors))
  for (const group of all('group')) {
    collection.refuse(objectWith('group')(group), 'It is the label group of its monitors.', 'NOT_A_MONITOR')
  }
  const known = new Set(contacts.map(({ id }) => contactId(id)))
  const missing = new Set(
    monitors.flatMap((monitor) => monitor.contacts.map(({ id }) => id)).filter((id) => !known.has(id)),
  )
  if (missing.size > 0)
    unreadable.push(`The alert contacts ${[...missing].join(', ')} of monitors are not in the files.`)
  return collection.result(unreadable)
}

/** Version 2 writes the name with an underscore. */
function objectWith(kind: Kind): (item: JsonObject) => SourceObject {
  return ({ id, name, friendlyName, friendly_name: older }) => {
    return { kind, sourceId: textOf(id), name: textOf(friendlyName ?? older ?? name) }
  }
}

function kindOf(item: JsonObject): Kind | undefined {
  if (!('id' in item)) return undefined
  if (isVersion2(item)) {
    if ('standard_url' in item || 'custom_url' in item) return PAGE
    if ('duration' in item) return WINDOW
    return 'url' in item ? MONITOR : 'value' in item ? CONTACT : undefined
  }
  if ('friendlyName' in item) {
    if ('urlKey' in item || 'customDomain' in item) return PAGE
    return 'url' in item ? MONITOR : 'value' in item ? CONTACT : undefined
  }
  if ('duration' in item && 'interval' in item) return WINDOW
  return 'name' in item && !('color' in item) ? 'group' : undefined
}

const OWN_APP =
  'UptimeRobot sends with an app of its own, whose token is not in the answer. Create the contact with your own token.'

/** The channel and its settings, or why there are none. */
const channels: Readonly<Record<string, ((value: string) => Fields) | string>> = {
  EMAIL: (address) => ({ channel: 'EMAIL', settings: { address } }),
  SLACK: (webhookUrl) => ({ channel: 'SLACK', settings: { webhookUrl } }),
  TEAMS: (webhookUrl) => ({ channel: 'TEAMS', settings: { webhookUrl } }),
  MS_TEAMS: (webhookUrl) => ({ channel: 'TEAMS', settings: { webhookUrl } }),
  DISCORD: (webhookUrl) => ({ channel: 'DISCORD', settings: { webhookUrl } }),
  WEBHOOK: (url) => ({ channel: 'WEBHOOK', settings: { url } }),
  PAGERDUTY: (routingKey) => ({ channel: 'PAGERDUTY', settings: { routingKey } }),
  OPSGENIE: (apiKey) => ({ channel: 'OPSGENIE', settings: { apiKey } }),
  PUSHOVER: OWN_APP,
  TELEGRAM: OWN_APP,
}

/** Adds a contact for the alerts of the monitors that name it. */
function addContact(
  collection: Collection,
  object: SourceObject,
  contact: RobotContact,
  monitors: readonly RobotMonitor[],
): void {
  const channel = channels[contact.type]
  if (!contact.isActive) collection.refuse(object, 'It was never activated.')
  else if (typeof channel === 'string') collection.refuse(object, channel)
  else if (channel === undefined)
    collection.refuse(object, `Pharos has no channel for contacts of the type ${contact.type}.`)
  else {
    const losses: string[] = []
    const own = monitors.filter(({ contacts }) => contacts.some(({ id }) => id === contactId(contact.id)))
    const fields = {
      name: boundedName(contact.name, contact.value, losses),
      ...channel(contact.value),
      covers: 'CHOSEN',
      monitors: own.flatMap(({ id }) => collection.keyOf(MONITOR, id) ?? []),
    }
    collection.map(object, 'contacts', fields, losses)
  }
}

function addWindow(
  collection: Collection,
  object: SourceObject,
  window: RobotWindow,
  monitors: readonly RobotMonitor[],
): void {
  const { id, name, recurrence, durationMinutes, days } = window
  const losses: string[] = []
  const times = timesOf(window, losses)
  const covered = monitors.filter((monitor) => window.monitorIds.includes(monitor.id) || monitor.windowIds.includes(id))
  const keys = covered.flatMap((monitor) => collection.keyOf(MONITOR, monitor.id) ?? [])
  if (window.isPaused) collection.refuse(object, 'It is paused, and Pharos has no paused windows.')
  else if (recurrence === undefined) collection.refuse(object, 'Pharos has no such recurrence.')
  else if (times === undefined)
    collection.refuse(object, `Its start or its duration of ${durationMinutes} minutes is not valid.`)
  else if (keys.length === 0 && !window.isForAll) collection.refuse(object, 'It covers no monitor that is imported.')
  else {
    const fields = {
      name: boundedName(name, WINDOW, losses),
      ...times,
      recurrence,
      ...(recurrence === 'WEEKLY' && { daysOfWeek: days }),
      ...(recurrence === 'MONTHLY' && { daysOfMonth: days }),
      ...(window.isForAll ? { allMonitors: true } : { monitors: keys }),
    }
    collection.map(object, 'maintenanceWindows', fields, losses)
  }
}

function timesOf({ startsAtSeconds, date, time, durationMinutes }: RobotWindow, losses: string[]) {
  try {
    if (startsAtSeconds !== undefined) {
      const at = startsAtSeconds * 1000
      return { startsAt: isoTimestamp(at), endsAt: isoTimestamp(at + durationMinutes * 60_000) }
    }
    losses.push('The answer has no time zone: its time is taken as UTC.')
    return localWindow({ ...(date !== undefined && { date }), time, durationMinutes, timezone: 'UTC' })
  } catch {
    return undefined
  }
}

function addPage(
  collection: Collection,
  object: SourceObject,
  page: RobotPage,
  monitors: readonly RobotMonitor[],
): void {
  const losses: string[] = []
  const nameOf = new Map(monitors.map(({ id, name }) => [id, name]))
  const keyOf = (id: string) => collection.keyOf(MONITOR, id)
  const ids = page.monitorIds ?? monitors.map(({ id }) => id).filter(keyOf)
  const missing = ids.filter((id) => keyOf(id) === undefined)
  if (missing.length > 0) losses.push(`Left out: ${missing.map((id) => nameOf.get(id) ?? id).join(', ')}.`)
  if (page.hasPassword) losses.push('Its password is not in the answer: the page is not published until you set one.')
  const entries = ids.flatMap((id) => keyOf(id) ?? []).map((monitor) => ({ monitor }))
  const fields = {
    name: boundedName(page.name, PAGE, losses),
    ...page.settings,
    ...(page.domain !== '' && { customDomain: page.domain }),
    published: page.isPublished && !page.hasPassword,
    sections: [{ name: 'Services', monitors: entries }],
  }
  collection.map(object, 'statusPages', fields, losses)
}
