import { bounded, boundedName, boundedStatus } from '../bounds.ts'
import { objectIn, objectsIn } from '../json-files.ts'
import { addLabel, notesFrom, offeredMethods, recordTypes, resolverAt, withContentType } from '../monitor-fields.ts'
import { type Meaning, readConditions } from './conditions.ts'
import { durationMs, text, type Yaml } from './values.ts'

const MAX_ASSERTIONS = 20
const MAX_KEYWORD_CHARS = 500
const DEFAULT_INTERVAL_MS = 60_000
const DEFAULT_TIMEOUT_MS = 10_000
const MAX_RETRIES = 5
const MAX_RECOVERY = 10

/** What is asked of a UDP port, because a port that answers nothing may as well be closed. */
const udpPresets: Readonly<Record<string, string>> = { 53: 'DNS', 123: 'NTP', 5060: 'SIP', 27015: 'STEAM_A2S' }

/** The fields of a monitor by its type, or why there is none. */
type Mapped = { readonly fields: Yaml } | { readonly reason: string }

interface Given {
  readonly endpoint: Yaml
  readonly url: string
  readonly meaning: Meaning
  readonly losses: string[]
}

export type ReadEndpoint =
  | { readonly monitor: Yaml; readonly losses: string[]; readonly domain?: Yaml }
  | { readonly reason: string }

/** An endpoint as a monitor, and as a second one if the registration of its domain is checked, too. */
export function readEndpoint(endpoint: Yaml, alerting: Yaml): ReadEndpoint {
  const losses: string[] = []
  const meaning = readConditions(Array.isArray(endpoint.conditions) ? endpoint.conditions.map(text) : [])
  if (meaning.isInverted) return { reason: 'It must not be reachable: inverted checks are not offered.' }
  const tunnel = text(objectIn(endpoint.client).tunnel)
  if (tunnel !== '') return { reason: `It is checked through the SSH tunnel ${tunnel}: tunnels are not offered.` }
  const url = text(endpoint.url)
  const isOnlyDomain = meaning.minDomainDays !== undefined && !hasOtherConditions(meaning)
  const make = isOnlyDomain ? undefined : maker(endpoint, url)
  if (!isOnlyDomain && make === undefined)
    return { reason: `Checks of ${url.split('://')[0] || 'this'} addresses are not offered.` }
  const made = make?.({ endpoint, url, meaning, losses })
  if (made !== undefined && 'reason' in made) return made
  losses.push(...meaning.lost.map((condition) => `The condition ${condition} is lost.`))
  const common = commonFields(endpoint, alerting, losses)
  const domain = meaning.minDomainDays === undefined ? undefined : domainFields(url, meaning.minDomainDays, losses)
  const main = made?.fields ?? domain
  if (main === undefined) return { reason: `${url} has no domain whose registration can be checked.` }
  const second = made &&
    domain && { ...common, name: boundedName(`${common.name} domain`, 'Domain', losses), ...domain }
  return { monitor: { ...common, ...main }, losses, ...(second && { domain: second }) }
}

function hasOtherConditions(meaning: Meaning): boolean {
  const { status, assertions, keyword, maxResponseMs, minCertificateDays, lost } = meaning
  const others = [status, keyword, maxResponseMs, minCertificateDays].some((one) => one !== undefined)
  return others || assertions.length + lost.length > 0
}

/** By the form of the address, as Gatus decides. */
function maker(endpoint: Yaml, url: string): ((given: Given) => Mapped) | undefined {
  if (endpoint.dns !== undefined) return dnsFields
  const scheme = /^([a-z]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(makers, scheme) ? makers[scheme] : undefined
}

const makers: Readonly<Record<string, (given: Given) => Mapped>> = {
  http: httpFields,
  https: httpFields,
  ws: socketFields,
  wss: socketFields,
  grpc: (given) => overHttp(given, 'GRPC_HEALTH'),
  grpcs: (given) => overHttp(given, 'GRPC_HEALTH'),
  tcp: tcpFields,
  udp: udpFields,
  tls: tlsFields,
  starttls: (given) => portFields(given, { dialogue: { transport: 'STARTTLS', preset: 'SMTP' } }),
  icmp: pingFields,
  ssh: sshFields,
}

function commonFields(endpoint: Yaml, alerting: Yaml, losses: string[]): Yaml & { readonly name: string } {
  const labels: Record<string, string> = {}
  if (text(endpoint.group) !== '') addLabel(labels, 'group', text(endpoint.group), losses)
  for (const [name, value] of Object.entries(objectIn(endpoint['extra-labels'])))
    addLabel(labels, name, text(value), losses)
  const alerts = objectsIn(endpoint.alerts).filter(({ enabled }) => enabled !== false)
  const notes = [...new Set(alerts.map(({ description }) => text(description)).filter(Boolean))].join('\n')
  return {
    name: boundedName(text(endpoint.name), 'Endpoint', losses),
    intervalSeconds: bounded(
      'intervalSeconds',
      secondsOf(endpoint.interval, DEFAULT_INTERVAL_MS, 'interval', losses),
      losses,
    ),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...notesFrom(notes, losses),
    ...confirmation(alerts, alerting, losses),
    ...(endpoint.enabled === false && { paused: true }),
  }
}

/**
 * Gatus has thresholds by alert, Pharos by monitor. Its defaults are not taken over: they would replace the confirmation of the
 * installation everywhere.
 */
function confirmation(alerts: readonly Yaml[], alerting: Yaml, losses: string[]): Yaml {
  const given = alerts.map(
    (alert) => ({ ...objectIn(objectIn(alerting[text(alert.type)])['default-alert']), ...alert }) as Yaml,
  )
  const numbers = (name: string) => given.map((alert) => alert[name]).filter((one) => typeof one === 'number')
  const [failures, successes] = [numbers('failure-threshold'), numbers('success-threshold')]
  for (const [list, noun] of [
    [failures, 'failures'],
    [successes, 'successes'],
  ] as const) {
    if (new Set(list).size > 1)
      losses.push(`Its alerts need different numbers of ${noun}: ${Math.min(...list)} counts for all.`)
  }
  if (given.some((alert) => alert['minimum-reminder-interval'] !== undefined)) losses.push('Reminders are lost.')
  if (given.some((alert) => alert['provider-override'] !== undefined)) {
    losses.push('The override of the provider for its alerts is lost: they go to the contact of the provider.')
  }
  if (failures.length + successes.length === 0) return {}
  const retries = Math.min(...failures) - 1
  if (failures.length > 0 && retries > MAX_RETRIES) {
    losses.push(`${retries + 1} failures before an alert are too many: a check is repeated ${MAX_RETRIES} times.`)
  }
  return {
    confirmation: {
      ...(failures.length > 0 && { failureRetries: Math.min(Math.max(retries, 0), MAX_RETRIES) }),
      ...(successes.length > 0 && {
        recoverySuccesses: Math.min(Math.max(1, Math.min(...successes)), MAX_RECOVERY),
      }),
    },
  }
}

function secondsOf(value: unknown, defaultMs: number, noun: string, losses: string[]): number {
  if (value === undefined || value === null) return defaultMs / 1000
  const ms = durationMs(value)
  if (ms === undefined) losses.push(`The ${noun} ${text(value)} is not a duration: ${defaultMs / 1000} s is used.`)
  return (ms ?? defaultMs) / 1000
}

function timeout({ endpoint, losses }: Given): Yaml {
  const seconds = secondsOf(objectIn(endpoint.client).timeout, DEFAULT_TIMEOUT_MS, 'timeout', losses)
  return { timeoutSeconds: bounded('timeoutSeconds', seconds, losses) }
}

function httpFields(given: Given): Mapped {
  const { endpoint, url, meaning, losses } = given
  const method = (text(endpoint.method) || 'GET').toUpperCase()
  if (!offeredMethods.includes(method)) return { reason: `The method ${method} is not offered.` }
  const { keyword } = meaning
  if (keyword !== undefined && keyword.text.length > MAX_KEYWORD_CHARS)
    return { reason: 'The text of its condition is too long.' }
  const status = boundedStatus(meaning.status ?? [[200, 599]], losses)
  if (status.length === 0) return { reason: 'No status code meets its conditions.' }
  const own = Object.fromEntries(Object.entries(objectIn(endpoint.headers)).map(([name, value]) => [name, text(value)]))
  const headers = endpoint.graphql === true ? withContentType(own, 'application/json') : own
  const body = bodyOf(endpoint, losses)
  const client = objectIn(endpoint.client)
  return {
    fields: {
      type: keyword === undefined ? 'HTTP' : 'KEYWORD',
      url,
      ...(method !== 'GET' && { method }),
      expectedStatus: status,
      ...timeout(given),
      ...(client['ignore-redirect'] === true && { followRedirects: false }),
      ...(client.insecure === true && { verifySsl: false }),
      ...(Object.keys(headers).length > 0 && { requestHeaders: headers }),
      ...(body !== '' && { requestBody: body }),
      ...(keyword && { keyword: keyword.text, keywordMatch: keyword.isExpected ? 'EXISTS' : 'NOT_EXISTS' }),
      ...assertions(given),
      ...requestOptions(given, true),
    },
  }
}

function bodyOf(endpoint: Yaml, losses: string[]): string {
  const known: Yaml = {
    '[ENDPOINT_NAME]': endpoint.name,
    '[ENDPOINT_GROUP]': endpoint.group,
    '[ENDPOINT_URL]': endpoint.url,
  }
  const body = text(endpoint.body).replace(/\[ENDPOINT_(NAME|GROUP|URL)\]/g, (name) => text(known[name]))
  if (/\[RANDOM_STRING_\d+\]/.test(body)) losses.push('The random text in the body is sent as it is written.')
  return endpoint.graphql === true ? JSON.stringify({ query: body }) : body
}

function assertions({ meaning, losses }: Given): Yaml {
  const { maxResponseMs, minCertificateDays } = meaning
  const all = [
    ...meaning.assertions,
    ...(maxResponseMs === undefined ? [] : [{ source: 'RESPONSE_MS', operator: 'LESS', value: maxResponseMs }]),
    ...(minCertificateDays === undefined
      ? []
      : [{ source: 'CERTIFICATE_DAYS', operator: 'GREATER', value: minCertificateDays }]),
  ]
  if (all.length > MAX_ASSERTIONS) losses.push(`Of ${all.length} conditions, ${MAX_ASSERTIONS} are kept.`)
  return all.length === 0 ? {} : { assertions: all.slice(0, MAX_ASSERTIONS) }
}

/** The settings of the client that Pharos has, too. Most of them only web checks have. */
function requestOptions({ endpoint, losses }: Given, isWeb: boolean): Yaml {
  const client = objectIn(endpoint.client)
  const { oauth2, network } = client
  const auth = objectIn(oauth2)
  const scopes = Array.isArray(auth.scopes) ? auth.scopes.map(text).join(' ') : ''
  const resolver = text(client['dns-resolver']).replace(/^[a-z]+:\/\//, '')
  const request = {
    ...(isWeb &&
      oauth2 !== undefined && {
        auth: {
          type: 'OAUTH2_CLIENT_CREDENTIALS',
          tokenUrl: text(auth['token-url']),
          clientId: text(auth['client-id']),
          clientSecret: text(auth['client-secret']),
          ...(scopes !== '' && { scope: scopes }),
        },
      }),
    ...(isWeb && client['proxy-url'] !== undefined && { proxyUrl: text(client['proxy-url']) }),
    ...(resolver !== '' && { resolver: /:\d+$/.test(resolver) ? resolver : `${resolver}:53` }),
    ...((network === 'ip4' || network === 'ip6') && { addressFamily: network === 'ip4' ? 'IPV4' : 'IPV6' }),
  }
  if (client['identity-aware-proxy'] !== undefined) losses.push('The sign-in of the identity-aware proxy is lost.')
  if (client.tls !== undefined) {
    losses.push(
      'The client certificate is lost, because the configuration names only its files: set it in the request options.',
    )
  }
  return Object.keys(request).length > 0 ? { request } : {}
}

function socketFields(given: Given): Mapped {
  const { endpoint, meaning, losses } = given
  if (text(endpoint.body) !== '' || meaning.assertions.length > 0 || meaning.keyword !== undefined) {
    losses.push('Messages are not exchanged: only the upgrade to WebSocket is checked.')
  }
  return overHttp(given, 'WEBSOCKET')
}

function overHttp(given: Given, protocol: string): Mapped {
  return {
    fields: {
      type: 'HTTP',
      url: given.url.replace(/^(ws|grpc)/i, 'http'),
      ...timeout(given),
      ...(objectIn(given.endpoint.client).insecure === true && { verifySsl: false }),
      ...responseLimit(given),
      request: { ...objectIn(requestOptions(given, true).request), protocol },
    },
  }
}

/** Where no assertion can be made: slow is DEGRADED, while Gatus fails. */
function responseLimit({ meaning: { maxResponseMs }, losses }: Given): Yaml {
  if (maxResponseMs === undefined) return {}
  losses.push(`A response that takes ${maxResponseMs} ms or more is DEGRADED instead of DOWN.`)
  return { degradedThresholdMs: bounded('degradedThresholdMs', maxResponseMs, losses) }
}

function hostAndPort(url: string): { readonly host: string; readonly port: number } | undefined {
  const rest = url.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/, '')
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(rest)
  return match === null ? undefined : { host: match[1] ?? match[2] ?? '', port: Number(match[3]) }
}

/** A port. Conditions about the body and the certificate have no place here. */
function portFields(given: Given, more: Yaml): Mapped {
  const { url, meaning, losses } = given
  const target = hostAndPort(url)
  if (target === undefined) return { reason: `${url} has no port.` }
  if (meaning.minCertificateDays !== undefined) losses.push('The expiry of the certificate is not checked.')
  return {
    fields: {
      type: 'PORT',
      ...target,
      ...timeout(given),
      ...responseLimit(given),
      ...more,
      ...requestOptions(given, false),
    },
  }
}

/** With a body, what is sent and what the reply must contain. */
function steps({ endpoint, meaning, losses }: Given): Yaml[] {
  const { keyword, body } = meaning
  const expect = keyword?.isExpected ? keyword.text : body
  const isKept = expect !== undefined && !/^\/.*\/$/.test(expect)
  const others = meaning.assertions.length - (body === undefined ? 0 : 1) + (keyword?.isExpected === false ? 1 : 0)
  if (others > 0 || (expect !== undefined && !isKept)) losses.push('Some conditions about the reply are lost.')
  const send = text(endpoint.body)
  return send === '' && !isKept ? [] : [{ ...(send !== '' && { send }), ...(isKept && { expect }) }]
}

function tcpFields(given: Given): Mapped {
  const dialogueSteps = steps(given)
  return portFields(given, dialogueSteps.length === 0 ? {} : { dialogue: { transport: 'TCP', steps: dialogueSteps } })
}

function udpFields(given: Given): Mapped {
  const dialogueSteps = steps(given)
  if (dialogueSteps.some(({ expect }) => expect !== undefined))
    return portFields(given, { dialogue: { transport: 'UDP', steps: dialogueSteps } })
  const preset = udpPresets[String(hostAndPort(given.url)?.port)]
  if (preset === undefined) return { reason: 'A UDP port without an expected reply cannot be checked.' }
  given.losses.push(`The port must answer a ${preset} request. Gatus only sends a packet.`)
  return portFields(given, { dialogue: { transport: 'UDP', preset } })
}

function sshFields(given: Given): Mapped {
  const { endpoint, losses, url } = given
  losses.push('Commands are not run: the server must answer as an SSH server.')
  const at = hostAndPort(url) === undefined ? `${url.replace(/\/$/, '')}:22` : url
  const { minCertificateDays: _days, ...meaning } = given.meaning
  return portFields({ endpoint, losses, url: at, meaning }, { dialogue: { transport: 'TCP', preset: 'SSH' } })
}

function pingFields(given: Given): Mapped {
  const host = given.url
    .replace(/^icmp:\/\//i, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\/$/, '')
  return { fields: { type: 'PING', host, ...timeout(given), ...responseLimit(given), ...requestOptions(given, false) } }
}

function tlsFields(given: Given): Mapped {
  const { endpoint, url, meaning, losses } = given
  const { minCertificateDays: days } = meaning
  if (objectIn(endpoint.client).insecure === true) losses.push('The certificate must be valid.')
  if (meaning.assertions.length > 0 || meaning.keyword !== undefined || text(endpoint.body) !== '') {
    losses.push('What the server replies is not checked.')
  }
  const limit = meaning.maxResponseMs
  return {
    fields: {
      type: 'SSL',
      url: url.replace(/^tls:\/\//i, '').replace(/\/$/, ''),
      ...timeout(given),
      ...(days !== undefined && { sslExpiryThresholdDays: bounded('sslExpiryThresholdDays', days, losses) }),
      ...(limit !== undefined && { assertions: [{ source: 'RESPONSE_MS', operator: 'LESS', value: limit }] }),
      ...requestOptions(given, false),
    },
  }
}

function domainFields(url: string, days: number, losses: string[]): Yaml | undefined {
  const { hostname } = URL.parse(url) ?? {}
  if (hostname === undefined || hostname === '') return undefined
  return { type: 'DOMAIN', url: hostname, sslExpiryThresholdDays: bounded('sslExpiryThresholdDays', days, losses) }
}

function dnsFields(given: Given): Mapped {
  const { endpoint, url, meaning } = given
  const query = objectIn(endpoint.dns)
  const type = text(query['query-type']).toUpperCase()
  if (!recordTypes.includes(type)) return { reason: `DNS records of type ${type} are not offered.` }
  const { keyword, body, maxResponseMs } = meaning
  const others = meaning.assertions.filter(
    (one) => one.source === 'BODY' && !(one.operator === 'EQUALS' && one.value === body),
  )
  const found = [
    ...others.map((one) => ({ ...one, source: 'RECORD' })),
    ...(keyword === undefined
      ? []
      : [{ source: 'RECORD', operator: keyword.isExpected ? 'CONTAINS' : 'NOT_CONTAINS', value: keyword.text }]),
    ...(maxResponseMs === undefined ? [] : [{ source: 'RESPONSE_MS', operator: 'LESS', value: maxResponseMs }]),
  ]
  const hasPort = /:\d+$/.test(url) && !/^[^[]*:.*:/.test(url)
  const resolver = hasPort ? url : resolverAt(url.replace(/[[\]]/g, ''))
  return {
    fields: {
      type: 'DNS',
      url: text(query['query-name']).replace(/\.$/, ''),
      dnsRecordType: type,
      ...(body !== undefined && { dnsExpected: body }),
      ...timeout(given),
      ...(found.length > 0 && { assertions: found }),
      request: { resolver },
    },
  }
}
