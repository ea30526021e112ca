import { STATUS_CODES } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Fields } from '../../configuration/kinds/fields.ts'
import { bounded, boundedName, boundedStatus, heartbeatPeriod } from '../bounds.ts'
import type { Collection, SourceObject } from '../collection.ts'
import { type JsonObject, listOf, numberOf, textOf, textsOf } from '../json-files.ts'
import { ADDRESS_CHANGES, FORM_TYPE, labelsFrom, resolverAt, withContentType } from '../monitor-fields.ts'

export const UPTIME = 'uptime check'
export const HEARTBEAT = 'heartbeat check'
export const SSL = 'SSL check'

/** Adds an uptime check. The list has only a part of its settings; the answer for the single check has all. */
export function addUptimeCheck(collection: Collection, object: SourceObject, check: JsonObject): void {
  const losses: string[] = []
  if (!isDetailed(check)) {
    losses.push(
      `Only the list is in the files: add the answer of GET /v1/uptime/${object.sourceId} for its other settings.`,
    )
  }
  const mapping = mapType(check, losses)
  if ('reason' in mapping) return void collection.refuse(object, mapping.reason)
  const triggerMinutes = numberOf(check.trigger_rate) ?? 0
  if (triggerMinutes > 0) losses.push(`Alerts were sent only after ${triggerMinutes} minutes.`)
  const servers = listOf(check.regions ?? check.servers)
  if (servers.length > 0) losses.push('It was checked from chosen locations. Pharos checks from its own.')
  const confirmations = numberOf(check.confirmation)
  const fields = {
    name: boundedName(object.name, textOf(check.website_url), losses),
    ...mapping.fields,
    intervalSeconds: bounded('intervalSeconds', numberOf(check.check_rate) ?? 300, losses),
    ...(numberOf(check.timeout) && { timeoutSeconds: bounded('timeoutSeconds', numberOf(check.timeout) ?? 0, losses) }),
    ...(confirmations !== undefined && { confirmation: { failureRetries: Math.min(confirmations, MAX_RETRIES) } }),
    ...commonFields(check, losses),
  }
  collection.map(object, 'monitors', fields, losses)
}

const MAX_RETRIES = 5

/** Whether it is the answer for a single check. */
function isDetailed(check: JsonObject): boolean {
  return 'status_codes' in check || 'confirmation' in check
}

export function addHeartbeatCheck(collection: Collection, object: SourceObject, check: JsonObject): void {
  const losses = [ADDRESS_CHANGES]
  const fields = {
    name: boundedName(object.name, HEARTBEAT, losses),
    type: 'CRON',
    ...heartbeatPeriod(numberOf(check.period) ?? 0, losses),
    ...commonFields(check, losses),
  }
  collection.map(object, 'monitors', fields, losses)
}

export function addSslCheck(collection: Collection, object: SourceObject, check: JsonObject): void {
  const url = textOf(check.website_url)
  const losses: string[] = []
  const reminders = listOf(check.alert_at).map(Number)
  const earliest = Math.max(...reminders)
  if (reminders.length > 1) {
    losses.push(
      `Of the reminders ${reminders.join(', ')} days before it expires, only that of ${earliest} days is kept.`,
    )
  }
  if (check.alert_mixed === true) losses.push('Mixed content is not looked for.')
  const serverName = textOf(check.hostname)
  const fields = {
    name: boundedName(url, SSL, losses),
    type: 'SSL',
    url,
    ...(reminders.length > 0 && { sslExpiryThresholdDays: bounded('sslExpiryThresholdDays', earliest, losses) }),
    intervalSeconds: bounded('intervalSeconds', numberOf(check.check_rate) ?? 86_400, losses),
    ...(serverName !== '' && { request: { serverName } }),
    ...commonFields(check, losses),
  }
  collection.map(object, 'monitors', fields, losses)
}

function commonFields(check: JsonObject, losses: string[]): Fields {
  const tags = listOf(check.tags).map(textOf)
  return { ...labelsFrom(tags, '', losses), ...(check.paused === true && { paused: true }) }
}

type Mapping = { readonly fields: Fields } | { readonly reason: string }

function mapType(check: JsonObject, losses: string[]): Mapping {
  const type = textOf(check.test_type).toUpperCase()
  const host = textOf(check.website_url)
  switch (type) {
    case 'HTTP':
    case 'HEAD':
      return mapWeb(check, type, losses)
    case 'PING':
      return { fields: { type: 'PING', host } }
    case 'TCP':
      return { fields: { type: 'PORT', host, port: numberOf(check.port) } }
    case 'SSH':
    case 'SMTP': {
      const port = numberOf(check.port) ?? (type === 'SSH' ? 22 : 25)
      return {
        fields: { type: 'PORT', host, port, dialogue: { preset: type, transport: port === 465 ? 'TLS' : 'TCP' } },
      }
    }
    case 'DNS':
      return mapDns(check)
    default:
      return { reason: `Pharos has no check for the type ${type || '(none)'}.` }
  }
}

function mapDns(check: JsonObject): Mapping {
  const addresses = listOf(check.dns_ips).map(textOf)
  const server = textOf(check.dns_server)
  return {
    fields: {
      type: 'DNS',
      url: textOf(check.website_url),
      dnsRecordType: addresses.length > 0 && addresses.every(isIPv6) ? 'AAAA' : 'A',
      ...(addresses.length > 0 && { dnsExpected: addresses.join('\n') }),
      dnsAlertOnChange: false,
      ...(server !== '' && { request: { resolver: resolverAt(server) } }),
    },
  }
}

function mapWeb(check: JsonObject, type: string, losses: string[]): Mapping {
  const keyword = textOf(check.find_string)
  if (keyword !== '' && check.include_header === true)
    losses.push('The text is looked for in the body only, not in the headers.')
  const final = textOf(check.final_endpoint)
  if (final !== '') losses.push(`That redirects end at ${final} is not checked.`)
  if (check.use_jar === true) losses.push('Cookies are not kept between redirects.')
  const form = textOf(check.post_body)
  const raw = textOf(check.post_raw)
  const hasBody = form !== '' || raw !== ''
  const agent = textOf(check.user_agent)
  const given = { ...textsOf(check.custom_header), ...(agent !== '' && { 'User-Agent': agent }) }
  const headers = form === '' ? given : withContentType(given, FORM_TYPE)
  return {
    fields: {
      type: keyword === '' ? 'HTTP' : 'KEYWORD',
      url: textOf(check.website_url),
      method: hasBody ? 'POST' : type === 'HEAD' && keyword === '' ? 'HEAD' : 'GET',
      ...expectedStatus(check, losses),
      ...(Object.keys(headers).length > 0 && { requestHeaders: headers }),
      ...(hasBody && { requestBody: form === '' ? raw : new URLSearchParams(textsOf(form)).toString() }),
      followRedirects: check.follow_redirects !== false,
      ...(keyword !== '' && { keyword, keywordMatch: check.do_not_find === true ? 'NOT_EXISTS' : 'EXISTS' }),
    },
  }
}

/** StatusCake lists the codes that raise an alert. Of those that do not, the ones that a standard defines are written. */
function expectedStatus(
  { status_codes: alerting }: JsonObject,
  losses: string[],
): { expectedStatus?: readonly number[] } {
  if (!Array.isArray(alerting)) return {}
  const bad = new Set(alerting.map(textOf))
  const good = Object.keys(STATUS_CODES).filter((code) => Number(code) >= 200 && !bad.has(code))
  return good.length > 0 ? { expectedStatus: boundedStatus(good.map(Number), losses) } : {}
}
