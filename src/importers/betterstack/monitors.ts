import type { Fields } from '../../configuration/kinds/fields.ts'
import { bounded, boundedName, boundedStatus, heartbeatPeriod } from '../bounds.ts'
import type { Collection, SourceObject } from '../collection.ts'
import { type JsonObject, listOf, numberOf, objectsIn, textOf } from '../json-files.ts'
import {
  ADDRESS_CHANGES,
  addDomainMonitor,
  addFurther,
  basicAuthorization,
  labelsFrom,
  resolverAt,
} from '../monitor-fields.ts'
import { timeZoneOf } from '../time-zones.ts'
import { localWindow } from '../windows.ts'

export const MONITOR = 'monitor'
export const HEARTBEAT = 'heartbeat'

/** An object with its attributes. */
export type Entity = JsonObject & { readonly id: string; readonly type: string }

type GroupNames = ReadonlyMap<string, string>

export function monitorObject(monitor: Entity): SourceObject {
  return { kind: MONITOR, sourceId: monitor.id, name: textOf(monitor.pronounceable_name) || textOf(monitor.url) }
}

export function addMonitor(
  collection: Collection,
  object: SourceObject,
  monitor: Entity,
  groupNames: GroupNames,
): void {
  const losses: string[] = []
  const mapping = mapType(monitor, losses)
  if ('reason' in mapping) return void collection.refuse(object, mapping.reason)
  const common = {
    ...confirmation(monitor, losses),
    ...commonFields(monitor, `monitor_group ${textOf(monitor.monitor_group_id)}`, groupNames, losses),
  }
  nameLosses(monitor, losses)
  const domainDays = numberOf(monitor.domain_expiration)
  if (domainDays !== undefined) addDomainMonitor(collection, object, textOf(monitor.url), domainDays, losses)
  for (const { port, fields } of mapping.further ?? []) {
    addFurther(collection, object, String(port), { ...fields, ...common }, `Port ${port} is`, losses)
  }
  const fields = { name: boundedName(object.name, MONITOR, losses), ...mapping.fields, ...common }
  const window = windowOf(object, monitor, losses)
  collection.map(object, 'monitors', fields, losses)
  addWindow(collection, object, window)
}

export function addHeartbeat(
  collection: Collection,
  object: SourceObject,
  heartbeat: Entity,
  groupNames: GroupNames,
): void {
  const losses = [ADDRESS_CHANGES]
  nameLosses(heartbeat, losses)
  const fields = {
    name: boundedName(object.name, HEARTBEAT, losses),
    type: 'CRON',
    ...heartbeatPeriod(numberOf(heartbeat.period) ?? 0, losses),
    graceSeconds: bounded('graceSeconds', numberOf(heartbeat.grace) ?? 0, losses),
    ...commonFields(heartbeat, `heartbeat_group ${textOf(heartbeat.heartbeat_group_id)}`, groupNames, losses),
  }
  const window = windowOf(object, heartbeat, losses)
  collection.map(object, 'monitors', fields, losses)
  addWindow(collection, object, window)
}

function commonFields(entity: Entity, groupKey: string, groupNames: GroupNames, losses: string[]): Fields {
  const groupId = groupKey.split(' ')[1] ?? ''
  if (groupId !== '' && !groupNames.has(groupKey)) losses.push(`The name of its group ${groupId} is not in the files.`)
  const group = groupId === '' ? '' : (groupNames.get(groupKey) ?? groupId)
  return { ...labelsFrom([], group, losses), ...(entity.paused === true && { paused: true }) }
}

/** How alerts were sent and from where it was checked, where it is not the default. */
function nameLosses(entity: Entity, losses: string[]): void {
  if (textOf(entity.policy_id) !== '') losses.push(`Its escalation policy ${textOf(entity.policy_id)} is lost.`)
  const ways = [entity.call === true && 'phone calls', entity.sms === true && 'text messages'].filter(Boolean)
  if (ways.length > 0) losses.push(`Pharos sends no ${ways.join(' and ')}.`)
  const regions = listOf(entity.regions).map(textOf)
  if (regions.length > 0 && regions.length < 4) {
    losses.push(`It was checked from ${regions.join(', ')}. Pharos checks from its own locations.`)
  }
}

type Mapping =
  | { readonly fields: Fields; readonly further?: readonly { readonly port: number; readonly fields: Fields }[] }
  | { readonly reason: string }

/** The types whose port is checked with a dialogue, and the ports on which it is encrypted from the beginning. */
const dialogues: Readonly<
  Record<string, { readonly preset: string; readonly port: number; readonly tlsPort: number }>
> = {
  smtp: { preset: 'SMTP', port: 25, tlsPort: 465 },
  pop: { preset: 'POP3', port: 110, tlsPort: 995 },
  imap: { preset: 'IMAP', port: 143, tlsPort: 993 },
}

function mapType(monitor: Entity, losses: string[]): Mapping {
  const type = textOf(monitor.monitor_type)
  switch (type) {
    case 'status':
    case 'expected_status_code':
    case 'keyword':
    case 'keyword_absence':
      return mapWeb(monitor, type, losses)
    case 'ping':
      return { fields: { type: 'PING', host: textOf(monitor.url), ...timing(monitor, losses), ...family(monitor) } }
    case 'tcp':
    case 'smtp':
    case 'pop':
    case 'imap':
      return mapPorts(monitor, type, losses)
    case 'udp':
      return mapUdp(monitor, losses)
    case 'dns':
      return mapDns(monitor, losses)
    case 'playwright':
      return { reason: 'Pharos runs no browser scenarios.' }
    default:
      return { reason: `Pharos has no check for the type ${type || '(none)'}.` }
  }
}

/** The timeout of servers is in milliseconds, that of web checks in seconds. More than a minute is never meant in seconds. */
function timing({ check_frequency: frequency, request_timeout: given }: Entity, losses: string[]): Fields {
  const timeout = numberOf(given)
  const seconds = timeout !== undefined && timeout > 60 ? timeout / 1000 : timeout
  return {
    intervalSeconds: bounded('intervalSeconds', numberOf(frequency) ?? 180, losses),
    ...(seconds && { timeoutSeconds: bounded('timeoutSeconds', seconds, losses) }),
  }
}

function family({ ip_version: version }: Entity, more: Fields = {}): { request?: Fields } {
  const family = { ipv4: 'IPV4', ipv6: 'IPV6' }[textOf(version)]
  const request = { ...more, ...(family !== undefined && { addressFamily: family }) }
  return Object.keys(request).length > 0 ? { request } : {}
}

function mapWeb(monitor: Entity, type: string, losses: string[]): Mapping {
  const method = textOf(monitor.http_method).toUpperCase() || 'GET'
  if (method === 'OPTIONS') return { reason: `Pharos has no requests with the method ${method}.` }
  const headers = Object.fromEntries(
    objectsIn(monitor.request_headers).map(({ name, value }) => [textOf(name), textOf(value)]),
  )
  const username = textOf(monitor.auth_username)
  if (username !== '') headers.Authorization = basicAuthorization(username, textOf(monitor.auth_password))
  const isKeyword = type !== 'status' && type !== 'expected_status_code'
  const codes = listOf(monitor.expected_status_codes).map(Number)
  const body = textOf(monitor.request_body)
  const certificateDays = numberOf(monitor.ssl_expiration)
  const proxy = textOf(monitor.proxy_host)
  const proxyUrl = proxy === '' ? {} : { proxyUrl: `http://${proxy}:${textOf(monitor.proxy_port) || 80}` }
  return {
    fields: {
      type: isKeyword ? 'KEYWORD' : 'HTTP',
      url: textOf(monitor.url),
      method,
      expectedStatus: boundedStatus(codes.length > 0 ? codes : [[200, 299]], losses),
      ...(Object.keys(headers).length > 0 && { requestHeaders: headers }),
      ...(body !== '' && { requestBody: body }),
      followRedirects: monitor.follow_redirects !== false,
      verifySsl: monitor.verify_ssl !== false,
      ...(isKeyword && {
        keyword: textOf(monitor.required_keyword),
        keywordMatch: type === 'keyword' ? 'EXISTS' : 'NOT_EXISTS',
      }),
      ...(certificateDays && { sslExpiryThresholdDays: bounded('sslExpiryThresholdDays', certificateDays, losses) }),
      ...timing(monitor, losses),
      ...family(monitor, proxyUrl),
    },
  }
}

/** Several ports are several monitors. */
function mapPorts(monitor: Entity, type: string, losses: string[]): Mapping {
  const dialogue = dialogues[type]
  const listed = textOf(monitor.port).split(',').map(Number).filter(Boolean)
  const ports = listed.length > 0 ? listed : dialogue === undefined ? [] : [dialogue.port]
  const common = { type: 'PORT', host: textOf(monitor.url), ...timing(monitor, losses), ...family(monitor) }
  const fieldsOf = (port: number | undefined): Fields => ({
    ...common,
    port,
    ...(dialogue !== undefined && {
      dialogue: { preset: dialogue.preset, transport: port === dialogue.tlsPort ? 'TLS' : 'TCP' },
    }),
  })
  const [first, ...others] = ports
  return { fields: fieldsOf(first), further: others.map((port) => ({ port, fields: fieldsOf(port) })) }
}

function mapUdp(monitor: Entity, losses: string[]): Mapping {
  const [send, expect] = [textOf(monitor.request_body), textOf(monitor.required_keyword)]
  if (send === '' || expect === '') return { reason: 'The data that it sends is not in the answer.' }
  const dialogue = { transport: 'UDP', steps: [{ send, expect }] }
  const port = numberOf(monitor.port)
  return { fields: { type: 'PORT', host: textOf(monitor.url), port, ...timing(monitor, losses), dialogue } }
}

/** It asks the server at its address for the name in the request body. */
function mapDns(monitor: Entity, losses: string[]): Mapping {
  const expected = textOf(monitor.required_keyword)
  return {
    fields: {
      type: 'DNS',
      url: textOf(monitor.request_body),
      dnsRecordType: 'A',
      ...(expected !== '' && { dnsExpected: expected }),
      dnsAlertOnChange: false,
      ...timing(monitor, losses),
      request: { resolver: resolverAt(textOf(monitor.url), numberOf(monitor.port)) },
    },
  }
}

const MAX_DELAY_SECONDS = 60
const MAX_SUCCESSES = 10

/** Better Stack waits before it opens and before it resolves an incident. Pharos repeats a check and counts successes. */
function confirmation(monitor: Entity, losses: string[]): { confirmation?: Fields } {
  const waitSeconds = numberOf(monitor.confirmation_period) ?? 0
  const recoverySeconds = numberOf(monitor.recovery_period) ?? 0
  if (waitSeconds <= 0 && recoverySeconds <= 0) return {}
  const delay = Math.min(waitSeconds, MAX_DELAY_SECONDS)
  if (delay < waitSeconds) losses.push(`A failure is confirmed after ${delay} s instead of ${waitSeconds} s.`)
  const successes = 1 + Math.ceil(recoverySeconds / (numberOf(monitor.check_frequency) || 180))
  const recoverySuccesses = Math.min(successes, MAX_SUCCESSES)
  if (recoverySuccesses < successes) {
    losses.push(`An incident is resolved after ${recoverySuccesses} successes instead of ${recoverySeconds} s.`)
  }
  const retries = waitSeconds > 0 ? { failureRetries: 1, retryDelaysSeconds: [delay] } : {}
  return { confirmation: { ...retries, recoverySuccesses } }
}

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** A window of the monitor itself is a maintenance window here. */
function windowOf(object: SourceObject, entity: Entity, losses: string[]): Fields | undefined {
  const [from, to] = [textOf(entity.maintenance_from), textOf(entity.maintenance_to)]
  if (from === '' || to === '') return undefined
  const onDays = listOf(entity.maintenance_days).map((day) => days.indexOf(textOf(day)) + 1)
  const timezone = timeZoneOf(textOf(entity.maintenance_timezone), losses)
  try {
    const minutes = Temporal.PlainTime.from(from).until(to).total('minutes')
    return {
      name: `Maintenance of ${object.name}`.slice(0, 120).toWellFormed(),
      ...localWindow({ time: from, durationMinutes: minutes > 0 ? minutes : minutes + 24 * 60, timezone }),
      recurrence: 'WEEKLY',
      daysOfWeek: onDays.length > 0 ? onDays : [1, 2, 3, 4, 5, 6, 7],
    }
  } catch {
    losses.push(`Its maintenance from ${from} to ${to} is not valid.`)
    return undefined
  }
}

function addWindow(collection: Collection, { kind, sourceId }: SourceObject, window: Fields | undefined): void {
  const key = collection.keyOf(kind, sourceId)
  if (window === undefined || key === undefined) return
  const identity = { sourceId: `${kind} ${sourceId}`, name: String(window.name) }
  collection.save('maintenanceWindows', identity, { ...window, monitors: [key] }, [])
}
