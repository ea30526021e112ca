import { labelKey, MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../../lib/selector.ts'
import { asciiWords } from '../../publishing/status-pages/slug.ts'
import { bounded, boundedName, boundedText, heartbeatPeriod } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import { notesFrom } from '../monitor-fields.ts'
import { dns } from './dns.ts'
import type { Groups } from './groups.ts'
import * as ports from './ports.ts'
import { isSet, numberOf, objectWith, type Row, type Tables, textOf } from './tables.ts'
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

export const MONITOR = 'monitor'

export function importMonitors(collection: Collection, tables: Tables, groups: Groups): void {
  collection.readEach(tables.monitor, objectWith(MONITOR), (monitor, object) => {
    const id = Number(object.sourceId)
    const losses: string[] = []
    if (groups.isGroup(id)) {
      const reason = `A group becomes the label ${groups.labelText(id)} of its monitors, and a section where it is on a page.`
      return collection.refuse(object, reason, 'NOT_A_MONITOR')
    }
    const fields = fieldsOf(monitor, tables, groups, losses)
    if (web.isRefusal(fields)) collection.refuse(object, fields.reason)
    else collection.map(object, 'monitors', fields, losses)
  })
}

function fieldsOf(monitor: Row, tables: Tables, groups: Groups, losses: string[]): web.Fields | web.Refusal {
  const type = textOf(monitor, 'type')
  const mapping = Object.hasOwn(mappings, type) ? mappings[type] : undefined
  if (mapping === undefined) return { reason: `The type ${type || '(none)'} of Uptime Kuma is not known.` }
  if (isSet(monitor, 'upside_down'))
    return { reason: 'Upside-down mode is not supported: a failure cannot count as up.' }
  const target = mapping(monitor, losses, tables)
  if (web.isRefusal(target)) return target
  const labels = labelsOf(monitor, tables, groups, losses)
  if ((numberOf(monitor, 'resend_interval') ?? 0) > 0) losses.push('While it is down, the alert is not repeated.')
  return {
    name: boundedName(textOf(monitor, 'name'), 'Unnamed monitor', losses),
    ...target,
    ...timingOf(monitor, target.type === 'CRON', losses),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...notesFrom(textOf(monitor, 'description').trim(), losses),
    ...(groups.isPaused(monitor) && { paused: true }),
    ...legacyAddress(monitor),
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
      ...heartbeatPeriod(interval, losses),
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

const DOMAIN = 'domain'
const DAY_SECONDS = 86_400

/**
 * In Kuma a web monitor can also watch the registration of its domain. Here that is a monitor of its own, one per domain. Returns
 * its key by the id of each of Kuma's monitors.
 */
export function importDomains(collection: Collection, tables: Tables): ReadonlyMap<string, string | undefined> {
  const known = tables.domain_expiry.map((row) => textOf(row, 'domain'))
  const domains = tables.monitor.flatMap((monitor) => {
    const id = String(numberOf(monitor, 'id') ?? 0)
    if (!isSet(monitor, 'domain_expiry_notification') || collection.keyOf(MONITOR, id) === undefined) return []
    const host = URL.parse(textOf(monitor, 'url'))?.hostname || textOf(monitor, 'hostname')
    return [{ id, domain: known.find((name) => host === name || host.endsWith(`.${name}`)) ?? host }]
  })
  const domainObject = (domain: string) => ({ kind: DOMAIN, sourceId: domain, name: domain })
  collection.readEach(new Set(domains.map((one) => one.domain)), domainObject, (domain, object) => {
    const fields = {
      name: boundedName(`Domain ${domain}`, 'Domain', []),
      type: 'DOMAIN',
      url: domain,
      intervalSeconds: DAY_SECONDS,
      ...web.expiryThreshold(tables, 'domainExpiryNotifyDays', []),
    }
    collection.map(object, 'monitors', fields, [], { sourceId: `domain-${domain}` })
  })
  return new Map(domains.map(({ id, domain }) => [id, collection.keyOf(DOMAIN, domain)]))
}
