import { isObject } from '../../lib/json.ts'
import { boundedName } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { byPosition, given, type JsonObject, numberOf, objectIn, textOf } from '../json-files.ts'
import { readAnswers } from '../read-answers.ts'
import type { ImportResult, SourceFile } from '../result.ts'
import { timeZoneOf } from '../time-zones.ts'
import { addHeartbeat, addMonitor, type Entity, HEARTBEAT, MONITOR, monitorObject } from './monitors.ts'

const PAGE = 'status page'

/** Reads answers of the Uptime API: monitors, heartbeats, their groups, status pages with their sections and resources. */
export function readBetterStack(files: readonly SourceFile[]): ImportResult {
  const unreadable: string[] = []
  const found = readAnswers(files, kindOf, unreadable)
  const collection = new Collection('betterstack')
  const all = (type: string) => found.filter(({ kind }) => kind === type).map(({ item }) => entityOf(item))
  const groups = [...all('monitor_group'), ...all('heartbeat_group')]
  const groupNames = new Map(groups.map((group) => [`${group.type} ${group.id}`, textOf(group.name)]))
  collection.readEach(all('monitor'), monitorObject, (monitor, object) =>
    addMonitor(collection, object, monitor, groupNames),
  )
  collection.readEach(all('heartbeat'), objectOf, (heartbeat, object) =>
    addHeartbeat(collection, object, heartbeat, groupNames),
  )
  for (const group of groups) {
    collection.refuse(objectOf(group), 'It is the label group of its monitors.', 'NOT_A_MONITOR')
  }
  const sections = all('status_page_section')
  const resources = all('status_page_resource')
  const pageObject = (page: Entity) => ({ ...objectOf(page), name: textOf(page.company_name) })
  collection.readEach(all('status_page'), pageObject, (page, object) =>
    addPage(collection, object, page, sections, resources),
  )
  // Sections and resources are reported with their page.
  const handled = ['monitor', 'heartbeat', 'monitor_group', 'heartbeat_group', 'status_page']
  handled.push('status_page_section', 'status_page_resource')
  for (const entity of found.map(({ item }) => entityOf(item))) {
    if (handled.includes(entity.type)) continue
    collection.refuse(objectOf(entity), 'It has no counterpart in a document of Pharos.')
  }
  if (all('monitor').length > 0) {
    unreadable.push(
      'The members of the team, who receive its alerts, are not in the answers: add alert contacts for them.',
    )
  }
  return collection.result(unreadable)
}

function entityOf(item: JsonObject): Entity {
  return { ...objectIn(item.attributes), id: textOf(item.id), type: textOf(item.type) }
}

function objectOf({ id, type, name }: Entity): SourceObject {
  return { kind: type.replaceAll('_', ' '), sourceId: id, name: textOf(name) }
}

function kindOf(item: JsonObject): string | undefined {
  return 'id' in item && isObject(item.attributes) ? textOf(item.type) || undefined : undefined
}

const resourceKinds: Readonly<Record<string, string>> = { Monitor: MONITOR, Heartbeat: HEARTBEAT }

function addPage(
  collection: Collection,
  object: SourceObject,
  page: Entity,
  sections: readonly Entity[],
  resources: readonly Entity[],
): void {
  const losses: string[] = []
  const own = sections.filter((section) => textOf(section.status_page_id) === page.id).sort(byPosition)
  const entriesOf = (section: Entity) => {
    const inside = resources.filter((one) => textOf(one.status_page_section_id) === section.id).sort(byPosition)
    return inside.flatMap((resource) => {
      const shown = textOf(resource.public_name)
      const kind = resourceKinds[textOf(resource.resource_type)] ?? ''
      const key = collection.keyOf(kind, textOf(resource.resource_id))
      if (key === undefined) losses.push(`Left out: ${shown || textOf(resource.resource_id)}.`)
      if (textOf(resource.explanation) !== '') losses.push(`The explanation of ${shown} is lost.`)
      return key === undefined ? [] : [{ monitor: key, ...(shown !== '' && { displayName: shown }) }]
    })
  }
  const contact = textOf(page.contact_url)
  const isWeb = /^https?:/i.test(contact)
  if (contact !== '' && !isWeb)
    losses.push(`The contact address ${contact} is lost: a page has only http and https addresses.`)
  const isProtected = page.password_enabled === true
  if (isProtected) losses.push('Its password is not in the answer: the page is not published until you set one.')
  for (const [field, noun] of Object.entries(lostFields)) {
    const value = page[field]
    const isSet = Array.isArray(value) ? value.length > 0 : textOf(value) !== ''
    if (isSet) losses.push(`${noun} lost.`)
  }
  const theme = textOf(page.theme).toUpperCase()
  const fields = {
    name: boundedName(object.name, PAGE, losses),
    ...given('slug', page.subdomain),
    ...given('customDomain', page.custom_domain),
    ...given('homepageUrl', page.company_url),
    ...given('logoUrl', page.logo_url),
    ...(isWeb && { contactUrl: contact }),
    timezone: timeZoneOf(textOf(page.timezone), losses),
    ...(numberOf(page.history) !== undefined && { historyDays: numberOf(page.history) }),
    theme: ['LIGHT', 'DARK'].includes(theme) ? theme : 'SYSTEM',
    hideFromSearch: page.hide_from_search_engines === true,
    subscribersEnabled: page.subscribable === true,
    published: page.published !== false && !isProtected,
    sections: own.map((section) => ({
      name: boundedName(textOf(section.name), 'Services', losses),
      monitors: entriesOf(section),
    })),
  }
  collection.map(object, 'statusPages', fields, losses)
}

/** What a page of Pharos does not have. */
const lostFields: Readonly<Record<string, string>> = {
  custom_css: 'Its own CSS is',
  custom_javascript: 'Its own JavaScript is',
  google_analytics_id: 'Google Analytics is',
  announcement: 'Its announcement is',
  navigation_links: 'Its navigation links are',
  ip_allowlist: 'The list of allowed addresses is',
}
