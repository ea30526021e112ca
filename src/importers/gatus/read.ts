import { parseDocument } from 'yaml'
import { isObject } from '../../contract/validate.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { bounded, boundedName } from '../bounds.ts'
import { createKeys } from '../keys.ts'
import { addLabel } from '../labels.ts'
import { type ImportedObject, type Reader, type SourceFile, WrongFileError } from '../result.ts'
import { localWindow } from '../windows.ts'
import { type Alerting, readContacts } from './contacts.ts'
import { readEndpoint } from './endpoints.ts'
import { durationMs, endpointId, mapOf, mapsIn, text, type Yaml } from './values.ts'

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
  const reading = new Reading(mapOf(config.alerting))
  for (const endpoint of mapsIn(config.endpoints)) reading.endpoint(endpoint)
  for (const endpoint of mapsIn(config['external-endpoints'])) reading.externalEndpoint(endpoint)
  reading.rest(config)
  const { contacts, objects } = readContacts(mapOf(config.alerting), reading.alerting)
  const page = reading.page(config)
  const { monitors, windows: maintenanceWindows } = reading
  const document = {
    version: 1,
    source: 'import-gatus',
    monitors,
    contacts,
    statusPages: page,
    maintenanceWindows,
  }
  const all = [...reading.objects, ...objects].map((object) => withVariableLosses(object, document, variables))
  return { document, objects: all, unreadable: [], variables: usedIn(document, variables) }
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
  if (typeof value === 'string') {
    return value.replace(/\$\$|\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$'
      const name = braced ?? bare ?? ''
      variables.add(name)
      return `\${${name}}`
    })
  }
  if (Array.isArray(value)) return value.map((one) => withVariables(one, variables))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withVariables(one, variables)]))
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

/** What the document does not take over needs no variables. */
function usedIn(document: Yaml, variables: ReadonlySet<string>): string[] {
  const json = JSON.stringify(document)
  return [...variables].filter((name) => json.includes(`\${${name}}`)).sort()
}

/** A resource that needs variables is not complete without them. */
function withVariableLosses(object: ImportedObject, document: Yaml, variables: ReadonlySet<string>): ImportedObject {
  if (object.key === undefined) return object
  const [kind = '', key = ''] = object.key.split('.')
  const losses = [
    ...object.losses,
    ...usedIn(mapOf(mapOf(document[kind])[key]), variables).map(
      (name) => `The environment variable ${name} must be set when the document is applied.`,
    ),
  ]
  return { ...object, losses, outcome: losses.length > 0 ? 'MAPPED_WITH_LOSSES' : 'MAPPED' }
}

/** Collects the parts of the document. */
class Reading {
  readonly monitors: Record<string, object> = {}
  readonly windows: Record<string, object> = {}
  readonly objects: ImportedObject[] = []
  readonly alerting: Alerting[] = []
  readonly #sections = new Map<string, { monitor: string }[]>()
  readonly #providers: Yaml
  readonly #keyOf = createKeys('endpoint')
  readonly #windowKeyOf = createKeys('maintenance')

  constructor(providers: Yaml) {
    this.#providers = providers
  }

  endpoint(endpoint: Yaml): void {
    const read = readEndpoint(endpoint, this.#providers)
    if ('reason' in read) {
      this.#refuse('endpoint', endpoint, read.reason)
      return
    }
    const key = this.#add('endpoint', endpoint, read.monitor, read.losses)
    if (read.domain !== undefined) this.monitors[this.#keyOf(`${endpointId(endpoint)}-domain`)] = read.domain
    this.#endpointWindows(endpoint, key)
  }

  /** A job that reports by itself. */
  externalEndpoint(endpoint: Yaml): void {
    const losses: string[] = []
    const ms = durationMs(mapOf(endpoint.heartbeat).interval)
    if (ms === undefined || ms === 0) {
      losses.push(
        `Gatus does not expect reports at an interval, but Pharos needs one: after ${MAX_PERIOD_SECONDS / 86_400} days without a report it is DOWN. Set the period.`,
      )
    }
    const labels: Record<string, string> = {}
    if (text(endpoint.group) !== '') addLabel(labels, 'group', text(endpoint.group), losses)
    const monitor = {
      name: boundedName(text(endpoint.name), 'Job', losses),
      type: 'CRON',
      expectedPeriodSec: bounded('expectedPeriodSec', ms ? ms / 1000 : MAX_PERIOD_SECONDS, losses),
      graceSeconds: 60,
      ...(Object.keys(labels).length > 0 && { labels }),
      legacyAddress: { tool: 'GATUS', token: endpointId(endpoint), bearer: text(endpoint.token) },
      ...(endpoint.enabled === false && { paused: true }),
    }
    this.#endpointWindows(endpoint, this.#add('external endpoint', endpoint, monitor, losses))
  }

  rest(config: Yaml): void {
    for (const suite of mapsIn(config.suites)) {
      this.#refuse(
        'suite',
        suite,
        'A chain of requests that share values is not offered. Monitors can check single requests.',
      )
    }
    const maintenance = mapOf(config.maintenance)
    if (maintenance.start !== undefined) this.#window('maintenance', 'Maintenance', maintenance, { allMonitors: true })
    for (const [i, { message, archived }] of mapsIn(config.announcements).entries()) {
      const reason =
        archived === true
          ? 'It is archived, and reports no incident that is still open.'
          : 'A document has no published incidents: publish it on the status page.'
      this.objects.push({
        kind: 'announcement',
        sourceId: String(i),
        name: text(message),
        outcome: 'NOT_SUPPORTED',
        losses: [],
        reason,
      })
    }
    if (config.connectivity !== undefined) {
      const reason = 'Pharos notices by itself when its own network fails.'
      this.objects.push({
        kind: 'connectivity',
        sourceId: 'checker',
        name: 'Connectivity checker',
        outcome: 'NOT_A_MONITOR',
        losses: [],
        reason,
      })
    }
    for (const [i, instance] of mapsIn(mapOf(config.remote).instances).entries()) {
      const reason = 'Results of another Gatus are not fetched: import its configuration.'
      this.objects.push({
        kind: 'remote instance',
        sourceId: String(i),
        name: text(instance.url),
        outcome: 'NOT_SUPPORTED',
        losses: [],
        reason,
      })
    }
  }

  /** The dashboard as a status page, with a section per group. */
  page(config: Yaml): Readonly<Record<string, object>> {
    const losses: string[] = []
    const ui = mapOf(config.ui)
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
      sections: [...this.#sections].map(([group, monitors]) => ({
        name: boundedName(group, 'Other', losses),
        monitors,
      })),
    }
    this.objects.push({
      kind: 'dashboard',
      sourceId: 'ui',
      name,
      outcome: 'MAPPED',
      key: 'statusPages.dashboard',
      losses,
    })
    return { dashboard: page }
  }

  #add(kind: string, endpoint: Yaml, monitor: Yaml, losses: readonly string[]): string {
    const sourceId = endpointId(endpoint)
    const key = this.#keyOf(sourceId)
    const group = text(endpoint.group)
    this.monitors[key] = monitor
    this.#sections.set(group, [...(this.#sections.get(group) ?? []), { monitor: key }])
    const types = mapsIn(endpoint.alerts)
      .filter(({ enabled }) => enabled !== false)
      .map(({ type }) => text(type))
    this.alerting.push({ key, group, types })
    this.objects.push({ kind, sourceId, name: text(endpoint.name), outcome: 'MAPPED', key: `monitors.${key}`, losses })
    return key
  }

  #refuse(kind: string, endpoint: Yaml, reason: string): void {
    const object = { kind, sourceId: endpointId(endpoint), name: text(endpoint.name) }
    this.objects.push({ ...object, outcome: 'NOT_SUPPORTED', losses: [], reason })
    for (const [i] of mapsIn(endpoint['maintenance-windows']).entries()) {
      const window = { kind: 'maintenance', sourceId: `${object.sourceId}-${i}`, name: `Maintenance of ${object.name}` }
      this.objects.push({ ...window, outcome: 'NOT_SUPPORTED', losses: [], reason: 'Its endpoint is not supported.' })
    }
  }

  #endpointWindows(endpoint: Yaml, key: string): void {
    for (const [i, window] of mapsIn(endpoint['maintenance-windows']).entries()) {
      this.#window(`${endpointId(endpoint)}-${i}`, `Maintenance of ${text(endpoint.name)}`, window, { monitors: [key] })
    }
  }

  #window(sourceId: string, name: string, given: Yaml, covers: Yaml): void {
    const losses: string[] = []
    const object = { kind: 'maintenance', sourceId, name }
    const timezone = parseTimeZone(text(given.timezone) || 'UTC')
    const ms = durationMs(given.duration)
    const days = Array.isArray(given.every)
      ? given.every.map((day) => weekdays.indexOf(text(day).toLowerCase()) + 1)
      : []
    const isTime = /^([01]\d|2[0-3]):[0-5]\d$/.test(text(given.start))
    if (given.enabled === false || timezone === undefined || ms === undefined || !isTime || days.includes(0)) {
      const reason =
        given.enabled === false ? 'It is switched off.' : 'Its start, duration, days or time zone are not valid.'
      this.objects.push({ ...object, outcome: 'NOT_SUPPORTED', losses, reason })
      return
    }
    const key = this.#windowKeyOf(sourceId)
    this.windows[key] = {
      name: boundedName(name, 'Maintenance', losses),
      ...localWindow({ time: text(given.start), durationMinutes: ms / MINUTE_MS, timezone }),
      recurrence: days.length > 0 ? 'WEEKLY' : 'DAILY',
      ...(days.length > 0 && { daysOfWeek: days.sort((a, b) => a - b) }),
      ...covers,
    }
    this.objects.push({ ...object, outcome: 'MAPPED', key: `maintenanceWindows.${key}`, losses })
  }
}
