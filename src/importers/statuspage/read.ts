import { isObject } from '../../lib/json.ts'
import { boundedName, boundedText } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { byPosition, given, type JsonObject, listOf, objectIn, objectsIn, textOf } from '../json-files.ts'
import { addLabel } from '../monitor-fields.ts'
import { readAnswers } from '../read-answers.ts'
import type { ImportResult, SourceFile } from '../result.ts'
import { timeZoneOf } from '../time-zones.ts'

const PAGE = 'page'
const COMPONENT = 'component'
const GROUP = 'component group'
const INCIDENT = 'incident'

type Kind = typeof PAGE | typeof COMPONENT | typeof GROUP | typeof INCIDENT | 'subscriber'

/** The section of components without a group. */
const NO_GROUP = 'Services'

/**
 * Reads answers of the API of Statuspage: page, components, component groups, incidents and subscribers; also the public
 * `summary.json` of a page. A component has no address to check, so a section shows the monitors with the label of its group.
 */
export function readStatuspage(files: readonly SourceFile[]): ImportResult {
  const unreadable: string[] = []
  const found = readAnswers(files, kindOf, unreadable)
  const collection = new Collection('statuspage')
  const all = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).map(({ item }) => item)
  const components = all(COMPONENT).sort(byPosition)
  const groups = all(GROUP).sort(byPosition)
  const pages = all(PAGE)
  const ids = new Set([...pages, ...components, ...groups].map((item) => textOf(item.page_id ?? item.id)))
  const objectWith = (kind: Kind) => (item: JsonObject) => ({
    kind,
    sourceId: textOf(item.id),
    name: textOf(item.name),
  })
  const pagesOrIds = [...ids].map((id) => pages.find((one) => textOf(one.id) === id) ?? { id })
  collection.readEach(pagesOrIds, objectWith(PAGE), (page, object) => {
    const own = (item: JsonObject) => textOf(item.page_id) === object.sourceId
    addPage(collection, object, page, components.filter(own), groups.filter(own))
  })
  const groupNames = namesOf(components, groups)
  for (const group of groups) {
    collection.refuse(objectWith(GROUP)(group), 'It is a section of the page.', 'NOT_A_MONITOR')
  }
  collection.readEach(components, objectWith(COMPONENT), (_component, object) => {
    const label = selectorOf([groupNames.get(object.sourceId) ?? NO_GROUP])
    const reason = `A component has no address to check. Give its monitor the label ${label}, and the page shows it.`
    collection.refuse(object, reason, 'NOT_A_MONITOR')
  })
  collection.readEach(all(INCIDENT), objectWith(INCIDENT), (incident, object) =>
    addIncident(collection, object, incident, groupNames),
  )
  const byMode = Map.groupBy(all('subscriber'), ({ mode }) => textOf(mode) || 'unknown')
  for (const [mode, { length }] of byMode) {
    const object = { kind: 'subscribers', sourceId: mode, name: `${length} by ${mode}` }
    collection.refuse(object, 'They agreed to messages of the old page only. Ask them to subscribe to the new one.')
  }
  return collection.result(unreadable)
}

function kindOf(item: JsonObject): Kind | undefined {
  if (!('id' in item)) return undefined
  if ('incident_updates' in item || 'impact' in item) return INCIDENT
  if ('mode' in item) return 'subscriber'
  if ('time_zone' in item) return PAGE
  if (item.group === true || ('components' in item && !('status' in item))) return GROUP
  return 'name' in item && 'status' in item ? COMPONENT : undefined
}

/** The name of the group of each component. */
function namesOf(components: readonly JsonObject[], groups: readonly JsonObject[]): ReadonlyMap<string, string> {
  const nameOf = new Map(groups.map(({ id, name }) => [textOf(id), textOf(name)]))
  const byList = groups.flatMap(({ name, components: ids }) =>
    listOf(ids).map((id) => [textOf(isObject(id) ? id.id : id), textOf(name)] as const),
  )
  const byField = components.flatMap(({ id, group_id: groupId }) => {
    const name = nameOf.get(textOf(groupId))
    return name === undefined ? [] : [[textOf(id), name] as const]
  })
  return new Map([...byList, ...byField])
}

/** Selects the monitors of groups. */
function selectorOf(names: readonly string[]): string {
  const values = names.map((name) => `"${labelOf(name).replace(/["\\]/g, '\\$&')}"`)
  return values.length === 1 ? `group=${values[0]}` : `group in (${values.join(',')})`
}

function labelOf(name: string): string {
  const labels: Record<string, string> = {}
  addLabel(labels, 'group', name, [])
  return labels.group ?? ''
}

function addPage(
  collection: Collection,
  object: SourceObject,
  page: JsonObject,
  components: readonly JsonObject[],
  groups: readonly JsonObject[],
): void {
  const losses: string[] = []
  if (!('name' in page))
    losses.push('The page itself is not in the files: add the answer of GET /v1/pages for its settings.')
  const isPrivate = page.viewers_must_be_team_members === true
  if (isPrivate) losses.push('Only members of the team could see it: the page is not published.')
  if (textOf(page.ip_restrictions) !== '') losses.push('The list of allowed addresses is lost.')
  if (Object.keys(page).some((name) => name.startsWith('css_') && textOf(page[name]) !== ''))
    losses.push('Its colors are lost.')
  const hasLoose = components.some(({ group_id: groupId }) => textOf(groupId) === '')
  const names = new Set([...groups.map(({ name }) => textOf(name)), ...(hasLoose ? [NO_GROUP] : [])])
  if (names.size > 0) losses.push('Its sections are empty until monitors have the labels of their groups.')
  const fields = {
    name: boundedName(object.name, 'Status page', losses),
    ...given('slug', page.subdomain),
    ...given('customDomain', page.domain),
    ...description(page, losses),
    // In public answers it is the address of the page itself.
    ...('subdomain' in page && given('homepageUrl', page.url)),
    ...given('contactUrl', page.support_url),
    ...given('logoUrl', objectIn(page.transactional_logo).url),
    ...given('faviconUrl', objectIn(page.favicon_logo).url),
    timezone: timeZoneOf(textOf(page.time_zone), losses),
    hideFromSearch: page.hidden_from_search === true,
    subscribersEnabled: page.allow_page_subscribers === true && page.allow_email_subscribers !== false,
    published: !isPrivate,
    sections: [...names].map((name) => ({ name: boundedName(name, NO_GROUP, losses), selector: selectorOf([name]) })),
  }
  collection.map(object, 'statusPages', fields, losses)
}

const MAX_DESCRIPTION = 1000

function description(page: JsonObject, losses: string[]): { description?: string } {
  const text = textOf(page.page_description) || textOf(page.headline)
  const plain = text.replace(/<[^>]*>/g, '').trim()
  if (plain !== text.trim()) losses.push('The markup of its description is lost.')
  return plain === '' ? {} : { description: boundedText(plain, MAX_DESCRIPTION, 'description', losses) }
}

/** Planned maintenance becomes a window. A document has no published incidents. */
function addIncident(
  collection: Collection,
  object: SourceObject,
  incident: JsonObject,
  groupNames: ReadonlyMap<string, string>,
): void {
  const updates = objectsIn(incident.incident_updates)
  const isPlanned = ['scheduled', 'in_progress', 'verifying'].includes(textOf(incident.status))
  if (!isPlanned || textOf(incident.scheduled_for) === '') {
    const length = `${updates.length} ${updates.length === 1 ? 'update' : 'updates'}`
    const reason = `Published incidents are not part of a document. It has ${length}, the first of ${textOf(incident.created_at).slice(0, 10)}.`
    collection.refuse(object, `${reason} Publish it again over the API if visitors still need it.`)
    return
  }
  const names = new Set(objectsIn(incident.components).map(({ id }) => groupNames.get(textOf(id)) ?? NO_GROUP))
  if (names.size === 0) return void collection.refuse(object, 'It names no component, so it covers no monitor.')
  const losses = [`It covers the monitors that have the label ${selectorOf([...names])}.`]
  if (updates.length > 1) losses.push(`Only the first of its ${updates.length} updates is kept, as the description.`)
  const text = textOf(updates.at(-1)?.body)
  const page = collection.keyOf(PAGE, textOf(incident.page_id))
  const fields = {
    name: boundedName(object.name, INCIDENT, losses),
    ...(text !== '' && { description: boundedText(text, 2000, 'description', losses) }),
    startsAt: textOf(incident.scheduled_for),
    endsAt: textOf(incident.scheduled_until),
    selector: selectorOf([...names]),
    ...(page !== undefined && { statusPages: [page] }),
  }
  collection.map(object, 'maintenanceWindows', fields, losses)
}
