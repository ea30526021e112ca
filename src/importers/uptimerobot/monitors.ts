import type { Fields } from '../../configuration/kinds/fields.ts'
import { defaultSettings } from '../../monitoring/monitor-settings/schema.ts'
import { bounded, boundedName, boundedStatus, heartbeatPeriod } from '../bounds.ts'
import type { Collection, SourceObject } from '../collection.ts'
import { listOf, numberOf, objectIn, objectsIn, textOf } from '../json-files.ts'
import {
  ADDRESS_CHANGES,
  addDomainMonitor,
  addFurther,
  basicAuthorization,
  FORM_TYPE,
  labelsFrom,
  offeredMethods,
  recordTypes,
  withContentType,
} from '../monitor-fields.ts'
import type { RobotMonitor } from './objects.ts'

export const MONITOR = 'monitor'

/** What a monitor needs besides the common fields. */
type Mapping = { readonly fields: Fields; readonly further?: readonly Further[] } | { readonly reason: string }

/** A monitor beside it, for what one monitor cannot check. */
interface Further {
  readonly suffix: string
  readonly what: string
  readonly fields: Fields
}

/** Domain reminders of UptimeRobot come 30 days before the end at the earliest. */
const DOMAIN_DAYS = 30

export function addMonitor(
  collection: Collection,
  object: SourceObject,
  monitor: RobotMonitor,
  groupNames: ReadonlyMap<string, string>,
): void {
  const losses: string[] = []
  const mapping = mapType(monitor, losses)
  if ('reason' in mapping) return void collection.refuse(object, mapping.reason)
  const { groupId, region } = monitor
  const group = groupId === '' ? '' : (groupNames.get(groupId) ?? groupId)
  if (groupId !== '' && !groupNames.has(groupId)) losses.push(`The name of its group ${groupId} is not in the files.`)
  if (region !== '') losses.push(`It was checked from ${region}. Pharos checks from its own locations.`)
  for (const { id, thresholdMinutes, recurrenceMinutes } of monitor.contacts) {
    if (thresholdMinutes > 0) losses.push(`Contact ${id} was alerted only after ${thresholdMinutes} minutes.`)
    if (recurrenceMinutes > 0) losses.push(`Contact ${id} was alerted again every ${recurrenceMinutes} minutes.`)
  }
  if (monitor.remindsOfDomain) addDomainMonitor(collection, object, monitor.url, DOMAIN_DAYS, losses)
  const common = { ...labelsFrom(monitor.tags, group, losses), ...(monitor.isPaused && { paused: true }) }
  for (const { suffix, what, fields } of mapping.further ?? []) {
    addFurther(collection, object, suffix, { ...fields, ...common }, what, losses)
  }
  const name = boundedName(monitor.name, monitor.url || MONITOR, losses)
  collection.map(object, 'monitors', { name, ...mapping.fields, ...common }, losses)
}

function mapType(monitor: RobotMonitor, losses: string[]): Mapping {
  switch (monitor.type) {
    case 'HTTP':
    case 'KEYWORD':
    case 'API':
      return mapWeb(monitor, losses)
    case 'PING':
      return { fields: { type: 'PING', host: monitor.url, ...timing(monitor, losses) } }
    case 'PORT':
      return { fields: { type: 'PORT', host: monitor.url, port: monitor.port, ...timing(monitor, losses) } }
    case 'UDP':
      return mapUdp(monitor, losses)
    case 'DNS':
      return mapDns(monitor, losses)
    case 'HEARTBEAT':
      return mapHeartbeat(monitor, losses)
    default:
      return { reason: `Pharos has no check for the type ${monitor.type || '(none)'}.` }
  }
}

function timing({ intervalSeconds, timeoutSeconds, degradedThresholdMs }: RobotMonitor, losses: string[]): Fields {
  return {
    intervalSeconds: bounded('intervalSeconds', intervalSeconds, losses),
    ...(timeoutSeconds && { timeoutSeconds: bounded('timeoutSeconds', timeoutSeconds, losses) }),
    ...(degradedThresholdMs > 0 && {
      degradedThresholdMs: bounded('degradedThresholdMs', degradedThresholdMs, losses),
    }),
  }
}

function mapHeartbeat({ intervalSeconds, graceSeconds }: RobotMonitor, losses: string[]): Mapping {
  losses.push(ADDRESS_CHANGES)
  return {
    fields: {
      type: 'CRON',
      ...heartbeatPeriod(intervalSeconds, losses),
      ...(graceSeconds !== undefined && { graceSeconds: bounded('graceSeconds', graceSeconds, losses) }),
    },
  }
}

function mapWeb(monitor: RobotMonitor, losses: string[]): Mapping {
  const { method, auth, body, keyword, certificateDays } = monitor
  if (!offeredMethods.includes(method)) return { reason: `Pharos has no requests with the method ${method}.` }
  let headers: Readonly<Record<string, string>> = monitor.headers
  if (auth.type === 'BASIC') headers = { ...headers, Authorization: basicAuthorization(auth.username, auth.password) }
  else if (auth.type === 'BEARER') headers = { ...headers, Authorization: `Bearer ${auth.password}` }
  else if (auth.type !== '' && auth.type !== 'DIGEST')
    losses.push(`Pharos has no authentication of the type ${auth.type}.`)
  if (body !== undefined) headers = withContentType(headers, body.type === 'FORM' ? FORM_TYPE : body.contentType)
  const isKeyword = monitor.type === 'KEYWORD'
  if (isKeyword && !monitor.isKeywordCaseSensitive) {
    losses.push('The keyword was found in capital and small letters. Pharos finds it only as it is written.')
  }
  const reminder = Math.max(...certificateDays)
  if (certificateDays.length > 1) {
    losses.push(
      `Of the reminders ${certificateDays.join(', ')} days before the certificate expires, only the first is kept.`,
    )
  }
  return {
    fields: {
      type: isKeyword ? 'KEYWORD' : 'HTTP',
      url: monitor.url,
      method,
      ...timing(monitor, losses),
      ...expectedStatus(monitor, losses),
      ...(Object.keys(headers).length > 0 && { requestHeaders: headers }),
      ...(body !== undefined && {
        requestBody: body.type === 'FORM' ? new URLSearchParams(body.values).toString() : body.text,
      }),
      ...(auth.type === 'DIGEST' && { request: { auth } }),
      followRedirects: monitor.followRedirects,
      verifySsl: monitor.verifySsl,
      ...(isKeyword && { keyword, keywordMatch: monitor.keywordMatch }),
      ...(certificateDays.length > 0 && {
        sslExpiryThresholdDays: bounded('sslExpiryThresholdDays', reminder, losses),
      }),
      ...assertionsOf(monitor, losses),
    },
  }
}

/** Without an own list, the default is close to the 2xx and 3xx of UptimeRobot. */
function expectedStatus({ statuses, statusChanges }: RobotMonitor, losses: string[]): Fields {
  const isUsual =
    statuses.length === 0 || (statuses.length === 2 && statuses.includes('2xx') && statuses.includes('3xx'))
  if (isUsual && Object.keys(statusChanges).length === 0) return {}
  const ranges = statuses.map((code): number | [number, number] => {
    const hundreds = Number(code[0]) * 100
    return /xx$/i.test(code) ? [hundreds, hundreds + 99] : Number(code)
  })
  const usual = defaultSettings.expectedStatus as readonly number[]
  const codes = new Set(isUsual ? usual : boundedStatus(ranges, losses))
  for (const [code, isUp] of Object.entries(statusChanges)) {
    if (isUp) codes.add(Number(code))
    else codes.delete(Number(code))
  }
  return { expectedStatus: [...codes].sort((a, b) => a - b) }
}

const operators: Readonly<Record<string, string>> = {
  equals: 'EQUALS',
  not_equals: 'NOT_EQUALS',
  contains: 'CONTAINS',
  not_contains: 'NOT_CONTAINS',
  greater_than: 'GREATER',
  less_than: 'LESS',
  is_null: 'NOT_EXISTS',
  is_not_null: 'EXISTS',
}

function assertionsOf({ config }: RobotMonitor, losses: string[]): { assertions?: readonly Fields[] } {
  const given = objectIn(config.apiAssertions)
  const checks = objectsIn(given.checks)
  if (checks.length === 0) return {}
  if (textOf(given.logic) === 'OR' && checks.length > 1) {
    losses.push('Its assertions are lost: one of them was enough, and in Pharos all must hold.')
    return {}
  }
  const assertions = checks.flatMap((check): Fields[] => {
    const property = textOf(check.property)
    const comparison = textOf(check.comparison)
    const operator = Object.hasOwn(operators, comparison) ? operators[comparison] : undefined
    const source = property === 'status_code' ? { source: 'STATUS' } : { source: 'JSON', path: property }
    if (operator === undefined || (source.source === 'JSON' && !property.startsWith('$'))) {
      losses.push(`The assertion "${property} ${comparison} ${textOf(check.target)}" is lost.`)
      return []
    }
    return [{ ...source, operator, ...(!operator.endsWith('EXISTS') && { value: check.target }) }]
  })
  return assertions.length > 0 ? { assertions } : {}
}

/** Any reply counts, as in UptimeRobot. */
const ANY_REPLY = '/(?s)./'

function mapUdp(monitor: RobotMonitor, losses: string[]): Mapping {
  const udp = objectIn(monitor.config.udp)
  const payload = typeof udp.payload === 'string' ? udp.payload : ''
  if (payload === '') return { reason: 'The data that it sends is not in the answer.' }
  const threshold = numberOf(udp.packetLossThreshold)
  if (threshold !== undefined) losses.push(`The limit of ${threshold} % lost packets is lost: one packet is sent.`)
  const dialogue = { transport: 'UDP', steps: [{ send: payload, expect: ANY_REPLY }] }
  return { fields: { type: 'PORT', host: monitor.url, port: monitor.port, ...timing(monitor, losses), dialogue } }
}

function mapDns(monitor: RobotMonitor, losses: string[]): Mapping {
  const given = objectIn(monitor.config.dnsRecords)
  const records = Object.entries(given).filter(([, values]) => listOf(values).length > 0)
  const known = records.filter(([type]) => recordTypes.includes(type))
  for (const [type] of records) {
    if (!recordTypes.includes(type)) losses.push(`Records of the type ${type} are not checked.`)
  }
  if (known.length === 0 && records.length > 0) return { reason: 'Pharos has no checks for records of its types.' }
  const fieldsOf = (type: string, values: unknown): Fields => ({
    type: 'DNS',
    url: monitor.url,
    dnsRecordType: type,
    ...(listOf(values).length > 0 && { dnsExpected: listOf(values).map(textOf).join('\n') }),
    dnsAlertOnChange: false,
    ...timing(monitor, losses),
  })
  const [[type, values] = ['A', []], ...others] = known
  const further = others.map(([suffix, other]) => {
    return { suffix, what: `Records of the type ${suffix} are`, fields: fieldsOf(suffix, other) }
  })
  return { fields: fieldsOf(type, values), further }
}
