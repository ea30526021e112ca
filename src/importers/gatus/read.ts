import { parseDocument } from 'yaml'
import { isObject } from '../../lib/json.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { mapTexts } from '../../lib/variables.ts'
import { bounded, boundedName } from '../bounds.ts'
import { Collection } from '../collection.ts'
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
  addPage(collection, config, endpoints)
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
  return withVariables(value, variables) as Yaml
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
  const endpoints = objectsIn(config.endpoints).flatMap((endpoint) => {
    const read = readEndpoint(endpoint, alerting)
    if ('monitor' in read) return addEndpoint(collection, 'endpoint', endpoint, read.monitor, read.losses, read.domain)
    refuseEndpoint(collection, 'endpoint', endpoint, read.reason)
    return []
  })
  const jobs = objectsIn(config['external-endpoints']).map((endpoint) => {
    const losses: string[] = []
    return addEndpoint(collection, 'external endpoint', endpoint, heartbeat(endpoint, losses), losses)
  })
  return [...endpoints, ...jobs]
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
    expectedPeriodSec: bounded('expectedPeriodSec', ms ? ms / 1000 : MAX_PERIOD_SECONDS, losses),
    graceSeconds: 60,
    ...labelsFrom([], text(endpoint.group), losses),
    legacyAddress: { tool: 'GATUS', token: endpointId(endpoint), bearer: text(endpoint.token) },
    ...(endpoint.enabled === false && { paused: true }),
  }
}

function addEndpoint(
  collection: Collection,
  kind: string,
  endpoint: Yaml,
  monitor: Yaml,
  losses: string[],
  domain?: Yaml,
): Imported {
  const [sourceId, name, group] = [endpointId(endpoint), text(endpoint.name), text(endpoint.group)]
  const saved = collection.save('monitors', { sourceId }, monitor, losses)
  const further = domain && collection.save('monitors', { sourceId: `${sourceId}-domain` }, domain, [])
  if (further !== undefined && 'reason' in further) losses.push(further.reason)
  const types = objectsIn(endpoint.alerts)
    .filter(({ enabled }) => enabled !== false)
    .map(({ type }) => text(type))
  if ('reason' in saved) {
    refuseEndpoint(collection, kind, endpoint, saved.reason)
    return { key: undefined, group, types }
  }
  collection.report({ kind, sourceId, name }, 'monitors', saved.key, losses)
  for (const [i, window] of objectsIn(endpoint['maintenance-windows']).entries()) {
    addWindow(collection, `${sourceId}-${i}`, `Maintenance of ${name}`, window, { monitors: [saved.key] })
  }
  return { key: saved.key, group, types }
}

function refuseEndpoint(collection: Collection, kind: string, endpoint: Yaml, reason: string): void {
  const [sourceId, name] = [endpointId(endpoint), text(endpoint.name)]
  collection.refuse({ kind, sourceId, name }, reason)
  for (const [i] of objectsIn(endpoint['maintenance-windows']).entries()) {
    const window = { kind: 'maintenance', sourceId: `${sourceId}-${i}`, name: `Maintenance of ${name}` }
    collection.refuse(window, 'Its endpoint is not supported.')
  }
}

function refuseOthers(collection: Collection, config: Yaml): void {
  for (const suite of objectsIn(config.suites)) {
    const reason = 'A chain of requests that share values is not offered. Monitors can check single requests.'
    refuseEndpoint(collection, 'suite', suite, reason)
  }
  const maintenance = objectIn(config.maintenance)
  if (maintenance.start !== undefined) {
    addWindow(collection, 'maintenance', 'Maintenance', maintenance, { allMonitors: true })
  }
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

/** The dashboard as a status page, with a section per group. */
function addPage(collection: Collection, config: Yaml, endpoints: readonly Imported[]): void {
  const losses: string[] = []
  const ui = objectIn(config.ui)
  const name = boundedName(text(ui.title) || text(ui.header), 'Status', losses)
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
  collection.map({ kind: 'dashboard', sourceId: 'ui', name }, 'statusPages', page, losses, { sourceId: 'dashboard' })
}

function addWindow(collection: Collection, sourceId: string, name: string, given: Yaml, covers: Yaml): void {
  const losses: string[] = []
  const object = { kind: 'maintenance', sourceId, name }
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
