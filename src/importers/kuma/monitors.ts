import { labelKey, MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../../lib/selector.ts'
import { asciiWords } from '../../publishing/status-pages/slug.ts'
import { accepted } from '../accepted.ts'
import { bounded, boundedName, boundedText } from '../bounds.ts'
import { createKeys } from '../keys.ts'
import type { ImportedObject } from '../result.ts'
import { dns } from './dns.ts'
import type { Groups } from './groups.ts'
import * as ports from './ports.ts'
import { isSet, numberOf, type Row, type Tables, textOf } from './tables.ts'
import * as web from './web.ts'

const BY_COMMAND = 'To monitor it, create a heartbeat monitor and run a check on that host with pharos run.'

/** What each type of Kuma becomes. Groups are none. */
const mappings: Readonly<Record<string, web.Mapping>> = {
  http: web.http,
  keyword: web.keyword,
  'json-query': web.jsonQuery,
  'real-browser': web.browser,
  'websocket-upgrade': web.webSocket,
  rabbitmq: web.rabbitMq,
  ping: ports.ping,
  port: ports.port,
  smtp: ports.smtp,
  ntp: ports.ntp,
  'sip-options': ports.service('SIP', 'UDP', 5060),
  steam: ports.service('STEAM_A2S', 'UDP', 27_015),
  gamedig: ports.game,
  radius: ports.radius,
  snmp: ports.snmp,
  mqtt: ports.mqtt,
  redis: ports.redis,
  'grpc-keyword': ports.grpc,
  postgres: ports.database(5432, 'POSTGRESQL'),
  mysql: ports.database(3306, 'MYSQL'),
  mongodb: ports.database(27_017, 'MONGODB'),
  sqlserver: ports.database(1433),
  oracledb: ports.database(1521),
  dns,
  push: () => ({ type: 'CRON' }),
  globalping,
  docker: () => ({
    reason: `The state of a container is known only on its host. pharos discover docker monitors what containers serve. ${BY_COMMAND}`,
  }),
  'system-service': () => ({ reason: `The state of a service is known only on its host. ${BY_COMMAND}` }),
  'tailscale-ping': () => ({ reason: `It needs a Tailscale client. ${BY_COMMAND}` }),
  'kafka-producer': () => ({ reason: `Pharos sends nothing to Kafka. ${BY_COMMAND}` }),
  manual: () => ({ reason: 'A status that somebody sets by hand is not a check.' }),
}

export interface ImportedMonitors {
  /** By key. */
  readonly entries: Readonly<Record<string, web.Fields>>
  readonly objects: readonly ImportedObject[]
  /** By Kuma's id; those that were not imported are missing. */
  readonly keys: ReadonlyMap<number, string>
  /** The monitors that watch the domain of one of Kuma's monitors, by its id. */
  readonly domainKeys: ReadonlyMap<number, string>
}

/** What is left out of a monitor if it is not valid, and what people call it. */
const removable = {
  'request.ca': 'CA certificate',
  'request.clientCertificate': 'client certificate',
  'request.proxyUrl': 'proxy',
  'request.resolver': 'DNS server',
  'request.auth': 'login',
  requestHeaders: 'list of headers',
  assertions: 'assertion',
  dnsExpected: 'expected DNS record',
}

export function importMonitors(tables: Tables, groups: Groups): ImportedMonitors {
  const keyOf = createKeys('monitor')
  const entries: Record<string, web.Fields> = {}
  const keys = new Map<number, string>()
  const objects = tables.monitor.map((monitor): ImportedObject => {
    const id = numberOf(monitor, 'id') ?? 0
    const object = { kind: 'monitor', sourceId: String(id), name: textOf(monitor, 'name') }
    if (groups.isGroup(id)) {
      const reason = `A group becomes the label ${groups.labelText(id)} of its monitors, and a section where it is on a page.`
      return { ...object, outcome: 'NOT_A_MONITOR', losses: [], reason }
    }
    const losses: string[] = []
    const fields = fieldsOf(monitor, tables, groups, losses)
    const verdict = web.isRefusal(fields) ? fields : accepted('monitors', fields, removable, losses)
    if (!('fields' in verdict)) return { ...object, outcome: 'NOT_SUPPORTED', losses: [], reason: verdict.reason }
    const key = keyOf(id, object.name)
    keys.set(id, key)
    entries[key] = { ...verdict.fields, ...legacyAddress(monitor) }
    const outcome = losses.length > 0 ? 'MAPPED_WITH_LOSSES' : 'MAPPED'
    return { ...object, outcome, key: `monitors.${key}`, losses }
  })
  const domains = importDomains(tables, keys)
  return {
    entries: { ...entries, ...domains.entries },
    objects: [...objects, ...domains.objects],
    keys,
    domainKeys: domains.keys,
  }
}

function fieldsOf(monitor: Row, tables: Tables, groups: Groups, losses: string[]): web.Fields | web.Refusal {
  const type = textOf(monitor, 'type')
  const mapping = Object.hasOwn(mappings, type) ? mappings[type] : undefined
  if (mapping === undefined) return { reason: `The type ${type || '(none)'} of Uptime Kuma is not known.` }
  if (isSet(monitor, 'upside_down'))
    return { reason: 'Upside-down mode is not supported: a failure cannot count as up.' }
  const target = mapping(monitor, losses, tables)
  if (web.isRefusal(target)) return target
  const description = textOf(monitor, 'description').trim()
  const labels = labelsOf(monitor, tables, groups, losses)
  if ((numberOf(monitor, 'resend_interval') ?? 0) > 0) losses.push('While it is down, the alert is not repeated.')
  return {
    name: boundedName(textOf(monitor, 'name'), 'Unnamed monitor', losses),
    ...target,
    ...timingOf(monitor, target.type === 'CRON', losses),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(description !== '' && { notes: { text: boundedText(description, 4000, 'description', losses) } }),
    ...(groups.isPaused(monitor) && { paused: true }),
  }
}

const DEFAULT_INTERVAL_SECONDS = 60
const MIN_GRACE_SECONDS = 60
const MAX_RETRIES = 5
const MAX_RETRY_DELAY_SECONDS = 60
/** Kuma's form fills the timeout in with this part of the interval. */
const DEFAULT_TIMEOUT_RATIO = 0.8

function timingOf(monitor: Row, isHeartbeat: boolean, losses: string[]): web.Fields {
  const interval = numberOf(monitor, 'interval') ?? DEFAULT_INTERVAL_SECONDS
  const retries = Math.max(0, numberOf(monitor, 'maxretries') ?? 0)
  const retryDelay = numberOf(monitor, 'retry_interval') || interval
  if (isHeartbeat) {
    return {
      expectedPeriodSec: bounded('expectedPeriodSec', interval, losses),
      graceSeconds: bounded('graceSeconds', Math.max(retries * retryDelay, MIN_GRACE_SECONDS), losses),
    }
  }
  const usual = interval * DEFAULT_TIMEOUT_RATIO
  const timeout = Math.ceil(numberOf(monitor, 'timeout') || usual)
  // Nobody chose a timeout that the form filled in.
  const isChosen = Math.abs(timeout - usual) > 1
  const [count, delay] = [Math.min(retries, MAX_RETRIES), Math.min(retryDelay, MAX_RETRY_DELAY_SECONDS)]
  if (retries > 0 && (count !== retries || delay !== retryDelay)) {
    losses.push(
      `A failed check was repeated ${retries} times, every ${retryDelay} s: now it is repeated ${count} times, every ${delay} s.`,
    )
  }
  return {
    intervalSeconds: bounded('intervalSeconds', interval, losses),
    timeoutSeconds: bounded('timeoutSeconds', timeout, isChosen ? losses : []),
    ...(retries > 0 && { confirmation: { failureRetries: count, retryDelaysSeconds: [delay] } }),
  }
}

function labelsOf(monitor: Row, { tag, monitor_tag: links }: Tables, groups: Groups, losses: string[]) {
  const id = numberOf(monitor, 'id')
  const labels: Record<string, string> = groups.labelsOf(monitor)
  for (const link of links.filter((one) => numberOf(one, 'monitor_id') === id)) {
    const name = textOf(tag.find((one) => numberOf(one, 'id') === numberOf(link, 'tag_id')) ?? {}, 'name')
    const value = textOf(link, 'value').replace(/\p{Cc}+/gu, ' ')
    const key = labelKeyOf(name)
    if (name === '') losses.push(`A tag with the value "${value}" is left out, because its name cannot be read.`)
    else if (key in labels || Object.keys(labels).length >= MAX_LABELS)
      losses.push(`The tag ${name}: ${value} is left out.`)
    else labels[key] = boundedText(value, MAX_LABEL_VALUE_CHARS, `value of the tag ${name}`, losses)
  }
  return labels
}

/** `group` is taken by the groups. */
export function labelKeyOf(name: string): string {
  const words = asciiWords(name).slice(0, 27)
  return labelKey.test(words) && !/^(parent-)?group$/.test(words) ? words : `tag-${words}`.replace(/-$/, '')
}

function legacyAddress(monitor: Row): web.Fields {
  const token = textOf(monitor, 'push_token')
  return textOf(monitor, 'type') === 'push' && token !== '' ? { legacyAddress: { tool: 'KUMA', token } } : {}
}

/** Globalping checks from its own probes. */
function globalping(monitor: Row, losses: string[], tables: Tables): web.Fields | web.Refusal {
  const mapping = { http: web.http, ping: ports.ping, dns }[textOf(monitor, 'subtype')]
  if (mapping === undefined) return { reason: 'Its kind of check is not known.' }
  losses.push(
    `It is checked from this installation, not from ${textOf(monitor, 'location') || 'the probes of Globalping'}.`,
  )
  return mapping(monitor, losses, tables)
}

const DAY_SECONDS = 86_400

/** In Kuma a web monitor can also watch the registration of its domain. Here that is a monitor of its own, one per domain. */
function importDomains(tables: Tables, imported: ReadonlyMap<number, string>) {
  const known = tables.domain_expiry.map((row) => textOf(row, 'domain'))
  const entries: Record<string, web.Fields> = {}
  const keys = new Map<number, string>()
  const byDomain = new Map<string, ImportedObject>()
  for (const monitor of tables.monitor) {
    const id = numberOf(monitor, 'id') ?? 0
    if (!isSet(monitor, 'domain_expiry_notification') || !imported.has(id)) continue
    const host = URL.parse(textOf(monitor, 'url'))?.hostname || textOf(monitor, 'hostname')
    const domain = known.find((name) => host === name || host.endsWith(`.${name}`)) ?? host
    const key = `domain-${asciiWords(domain)}`
    const object = byDomain.get(domain) ?? importDomain(domain, key, tables, entries)
    byDomain.set(domain, object)
    if (object.key !== undefined) keys.set(id, key)
  }
  return { entries, objects: [...byDomain.values()], keys }
}

function importDomain(
  domain: string,
  key: string,
  tables: Tables,
  entries: Record<string, web.Fields>,
): ImportedObject {
  const object = { kind: 'domain', sourceId: domain, name: domain, losses: [] }
  const fields = {
    name: boundedName(`Domain ${domain}`, 'Domain', []),
    type: 'DOMAIN',
    url: domain,
    intervalSeconds: DAY_SECONDS,
    ...web.expiryThreshold(tables, 'domainExpiryNotifyDays', []),
  }
  const verdict = accepted('monitors', fields, {}, [])
  if (!('fields' in verdict)) return { ...object, outcome: 'NOT_SUPPORTED', reason: verdict.reason }
  entries[key] = verdict.fields
  return { ...object, outcome: 'MAPPED', key: `monitors.${key}` }
}
