import { parseDocument } from 'yaml'
import { isObject } from '../../lib/json.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { mapTexts } from '../../lib/variables.ts'
import { boundedName, heartbeatPeriod } from '../bounds.ts'
import { Collection, type SourceObject } from '../collection.ts'
import { objectIn, objectsIn } from '../json-files.ts'
import { labelsFrom } from '../monitor-fields.ts'
import { type Reader, type SourceFile, WrongFileError } from '../result.ts'
import { localWindow } from '../windows.ts'
import { addContacts, type Imported, LEFT_OUT } from './contacts.ts'
import { readEndpoint } from './endpoints.ts'
import { durationMs, endpointId, text, type Yaml } from './values.ts'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const MAX_PERIOD_SECONDS = 2_592_000
const MINUTE_MS = 60_000

/** Reads the configuration. Several files make one, as in a configuration folder. */
export const readGatus: Reader = (files) => {
  const variables = new Set<string>()
  const config = merged(files.map((file) => readYaml(file, variables)))
  if (!['endpoints', 'external-endpoints', 'suites', 'alerting'].some((name) => name in config)) {
    throw new WrongFileError(`${files.map(({ name }) => name).join(', ')} has no "endpoints"`)
  }
  const nouns = { monitors: 'endpoint', maintenanceWindows: 'maintenance' }
  const collection = new Collection('gatus', { removable: {}, nouns, variables })
  const endpoints = readEndpoints(collection, config)
  refuseOthers(collection, config)
  collection.readEach([objectIn(config.ui)], pageObject, (_ui, object) =>
    addPage(collection, object, config, endpoints),
  )
  addContacts(collection, objectIn(config.alerting), endpoints)
  return collection.result()
}

function readYaml({ name, bytes }: SourceFile, variables: Set<string>): Yaml {
  const content = parseDocument(new TextDecoder().decode(bytes), { merge: true, prettyErrors: true })
  const [error] = content.errors
  if (error !== undefined) throw new WrongFileError(`${name} is not YAML: ${error.message.split('\n')[0]}`)
  let value: unknown
  try {
    value = content.toJS()
  } catch (failure) {
    throw new WrongFileError(`${name} cannot be read: ${failure instanceof Error ? failure.message : failure}`)
  }
  if (!isObject(value)) throw new WrongFileError(`${name} is not a configuration of Gatus`)
  if (isCircular(value)) throw new WrongFileError(`${name} has an alias of something that contains it. Remove it`)
  return withVariables(value, variables) as Yaml
}

function isCircular(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return false
  } catch {
    return true
  }
}

/** `$NAME` and `${NAME}` are variables, `$$` is a dollar sign. */
function withVariables(value: unknown, variables: Set<string>): unknown {
  return mapTexts(value, (given) =>
    given.replace(/\$\$|\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$'
      const name = braced ?? bare ?? ''
      variables.add(name)
      return `\${${name}}`
    }),
  )
}

/** Lists are joined, maps merged. */
function merged(configs: readonly Yaml[]): Yaml {
  const all: Record<string, unknown> = {}
  for (const config of configs) {
    for (const [name, value] of Object.entries(config)) {
      const before = all[name]
      if (Array.isArray(before) && Array.isArray(value)) all[name] = [...before, ...value]
      else all[name] = isObject(before) && isObject(value) ? merged([before, value]) : value
    }
  }
  return all
}

/** The endpoints that became monitors, and those that a plan would not accept. */
function readEndpoints(collection: Collection, config: Yaml): readonly Imported[] {
  const alerting = objectIn(config.alerting)
  const endpoints = collection.readEach(objectsIn(config.endpoints), endpointObject('endpoint'), (endpoint, object) => {
    const read = readEndpoint(endpoint, alerting)
    if ('monitor' in read) return addEndpoint(collection, object, endpoint, read.monitor, read.losses, read.domain)
    refuseEndpoint(collection, object, endpoint, read.reason)
    return []
  })
  const external = objectsIn(config['external-endpoints'])
  const jobs = collection.readEach(external, endpointObject('external endpoint'), (endpoint, object) => {
    const losses: string[] = []
    return addEndpoint(collection, object, endpoint, heartbeat(endpoint, losses), losses)
  })
  return [...endpoints.flat(), ...jobs]
}

function endpointObject(kind: string): (endpoint: Yaml) => SourceObject {
  return (endpoint) => ({ kind, sourceId: endpointId(endpoint), name: text(endpoint.name) })
}

/** A job that reports by itself. */
function heartbeat(endpoint: Yaml, losses: string[]): Yaml {
  const ms = durationMs(objectIn(endpoint.heartbeat).interval)
  if (ms === undefined || ms === 0) {
    losses.push(
      `Gatus does not expect reports at an interval, but Pharos needs one: after ${MAX_PERIOD_SECONDS / 86_400} days without a report it is DOWN. Set the period.`,
    )
  }
  return {
    name: boundedName(text(endpoint.name), 'Job', losses),
    type: 'CRON',
    ...heartbeatPeriod(ms ? ms / 1000 : MAX_PERIOD_SECONDS, losses),
    graceSeconds: 60,
    ...labelsFrom([], text(endpoint.group), losses),
    legacyAddress: { tool: 'GATUS', token: endpointId(endpoint), bearer: text(endpoint.token) },
    ...(endpoint.enabled === false && { paused: true }),
  }
}

function addEndpoint(
  collection: Collection,
  object: SourceObject,
  endpoint: Yaml,
  monitor: Yaml,
  losses: string[],
  domain?: Yaml,
): Imported {
  const { sourceId } = object
  const group = text(endpoint.group)
  const saved = collection.save('monitors', { sourceId }, monitor, losses)
  const further = domain && collection.save('monitors', { sourceId: `${sourceId}-domain` }, domain, [])
  if (further !== undefined && 'reason' in further) losses.push(further.reason)
  const types = objectsIn(endpoint.alerts)
    .filter(({ enabled }) => enabled !== false)
    .map(({ type }) => text(type))
  if ('reason' in saved) {
    refuseEndpoint(collection, object, endpoint, saved.reason)
    return { key: undefined, group, types }
  }
  collection.report(object, 'monitors', saved.key, losses)
  const covers = { monitors: [saved.key] }
  collection.readEach(objectsIn(endpoint['maintenance-windows']).entries(), windowObject(object), ([, window], own) =>
    addWindow(collection, own, window, covers),
  )
  return { key: saved.key, group, types }
}

function windowObject({ sourceId, name }: SourceObject): (window: readonly [number, Yaml]) => SourceObject {
  return ([i]) => ({ kind: 'maintenance', sourceId: `${sourceId}-${i}`, name: `Maintenance of ${name}` })
}

function refuseEndpoint(collection: Collection, object: SourceObject, endpoint: Yaml, reason: string): void {
  collection.refuse(object, reason)
  for (const window of objectsIn(endpoint['maintenance-windows']).entries()) {
    collection.refuse(windowObject(object)(window), 'Its endpoint is not supported.')
  }
}

function refuseOthers(collection: Collection, config: Yaml): void {
  for (const suite of objectsIn(config.suites)) {
    const reason = 'A chain of requests that share values is not offered. Monitors can check single requests.'
    refuseEndpoint(collection, endpointObject('suite')(suite), suite, reason)
  }
  const maintenance = objectsIn([config.maintenance]).filter(({ start }) => start !== undefined)
  const wholeObject = () => ({ kind: 'maintenance', sourceId: 'maintenance', name: 'Maintenance' })
  collection.readEach(maintenance, wholeObject, (window, object) =>
    addWindow(collection, object, window, { allMonitors: true }),
  )
  for (const [i, { message, archived }] of objectsIn(config.announcements).entries()) {
    const reason =
      archived === true
        ? 'It is archived, and reports no incident that is still open.'
        : 'A document has no published incidents: publish it on the status page.'
    collection.refuse({ kind: 'announcement', sourceId: String(i), name: text(message) }, reason)
  }
  if (config.connectivity !== undefined) {
    const object = { kind: 'connectivity', sourceId: 'checker', name: 'Connectivity checker' }
    collection.refuse(object, 'Pharos notices by itself when its own network fails.', 'NOT_A_MONITOR')
  }
  for (const [i, { url }] of objectsIn(objectIn(config.remote).instances).entries()) {
    const object = { kind: 'remote instance', sourceId: String(i), name: text(url) }
    collection.refuse(object, 'Results of another Gatus are not fetched: import its configuration.')
  }
}

function pageObject({ title, header }: Yaml): SourceObject {
  return { kind: 'dashboard', sourceId: 'ui', name: text(title) || text(header) }
}

/** The dashboard as a status page, with a section per group. */
function addPage(collection: Collection, object: SourceObject, config: Yaml, endpoints: readonly Imported[]): void {
  const losses: string[] = []
  const ui = objectIn(config.ui)
  const name = boundedName(object.name, 'Status', losses)
  const isProtected = config.security !== undefined
  if (isProtected) losses.push('The page is not published, because the dashboard of Gatus needs a sign-in.')
  if (ui['custom-css'] !== undefined) losses.push('The custom CSS is lost.')
  if (ui.buttons !== undefined) losses.push('The buttons are lost.')
  const address = (field: string, value: unknown) => {
    if (text(value) === '') return {}
    if (/^https?:\/\//.test(text(value))) return { [field]: text(value) }
    losses.push(`${text(value)} is lost: ${field} must be an http(s) address.`)
    return {}
  }
  const page = {
    name,
    ...(isProtected && { published: false }),
    ...address('logoUrl', ui.logo),
    ...address('homepageUrl', ui.link),
    ...(typeof ui['dark-mode'] === 'boolean' && { theme: ui['dark-mode'] ? 'DARK' : 'LIGHT' }),
    sections: [...Map.groupBy(endpoints, ({ group }) => group)].map(([group, inside]) => ({
      name: boundedName(group, 'Other', losses),
      monitors: inside.flatMap(({ key }) => (key === undefined ? [] : [{ monitor: key }])),
    })),
  }
  if (endpoints.some(({ key }) => key === undefined)) losses.push(LEFT_OUT)
  collection.map({ ...object, name }, 'statusPages', page, losses, { sourceId: 'dashboard' })
}

function addWindow(collection: Collection, object: SourceObject, given: Yaml, covers: Yaml): void {
  const losses: string[] = []
  const { sourceId, name } = object
  const timezone = parseTimeZone(text(given.timezone) || 'UTC')
  const ms = durationMs(given.duration)
  const days = Array.isArray(given.every) ? given.every.map((day) => weekdays.indexOf(text(day).toLowerCase()) + 1) : []
  const isTime = /^([01]\d|2[0-3]):[0-5]\d$/.test(text(given.start))
  if (given.enabled === false) collection.refuse(object, 'It is switched off.')
  else if (timezone === undefined || ms === undefined || !isTime || days.includes(0))
    collection.refuse(object, 'Its start, duration, days or time zone are not valid.')
  else {
    const window = {
      name: boundedName(name, 'Maintenance', losses),
      ...localWindow({ time: text(given.start), durationMinutes: ms / MINUTE_MS, timezone }),
      recurrence: days.length > 0 ? 'WEEKLY' : 'DAILY',
      ...(days.length > 0 && { daysOfWeek: days.sort((a, b) => a - b) }),
      ...covers,
    }
    collection.map(object, 'maintenanceWindows', window, losses, { sourceId })
  }
}
