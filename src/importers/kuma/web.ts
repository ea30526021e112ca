import { isObject } from '../../lib/json.ts'
import { bounded, boundedStatus, boundedText } from '../bounds.ts'
import { withoutEmpty } from '../json-files.ts'
import { basicAuthorization, escapePattern, offeredMethods } from '../monitor-fields.ts'
import { isSet, jsonOf, numberOf, type Row, settingOf, type Tables, textOf } from './tables.ts'

export type Fields = Readonly<Record<string, unknown>>

/** What a monitor checks, or why Pharos cannot. Losses are added to `losses`. */
export type Mapping = (monitor: Row, losses: string[], tables: Tables) => Fields | Refusal

export interface Refusal {
  readonly reason: string
}

export function isRefusal(mapped: Fields | Refusal): mapped is Refusal {
  return 'reason' in mapped
}

/** What Kuma sends as Content-Type unless the headers have one. */
const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
}

const MAX_REDIRECTS = 20
const DEFAULT_REDIRECTS = 10
const MAX_BODY_CHARS = 100_000

export const http: Mapping = (monitor, losses, tables) => {
  const method = textOf(monitor, 'method').toUpperCase() || 'GET'
  if (!offeredMethods.includes(method)) return { reason: `The method ${method} is not supported.` }
  if (textOf(monitor, 'auth_method') === 'ntlm')
    return { reason: 'The login with NTLM is not supported, and without it the check would fail.' }
  const body = textOf(monitor, 'body')
  const headers = { ...contentTypeOf(monitor, body), ...headersOf(monitor, losses) }
  if (isSet(monitor, 'cache_bust')) {
    headers['Cache-Control'] = 'no-cache'
    losses.push('Caches are bypassed with the header Cache-Control: no-cache, not with a random query.')
  }
  const { header, ...credentials } = credentialsOf(monitor)
  Object.assign(headers, header)
  const redirects = numberOf(monitor, 'maxredirects') ?? DEFAULT_REDIRECTS
  if (redirects > MAX_REDIRECTS) losses.push(`At most ${MAX_REDIRECTS} redirects are followed, not ${redirects}.`)
  const options = {
    ...credentials,
    ...proxyOf(monitor, losses, tables),
    ...(redirects > 0 && redirects !== DEFAULT_REDIRECTS && { maxRedirects: Math.min(redirects, MAX_REDIRECTS) }),
    ...addressFamilyOf(monitor),
  }
  return {
    type: 'HTTP',
    url: textOf(monitor, 'url'),
    ...(method !== 'GET' && { method }),
    expectedStatus: statusOf(monitor, losses),
    ...(Object.keys(headers).length > 0 && { requestHeaders: headers }),
    ...(body !== '' && { requestBody: boundedText(body, MAX_BODY_CHARS, 'request body', losses) }),
    ...(redirects <= 0 && { followRedirects: false }),
    ...(isSet(monitor, 'ignore_tls') && { verifySsl: false }),
    ...(isSet(monitor, 'expiry_notification') && expiryThreshold(tables, 'tlsExpiryNotifyDays', losses)),
    ...(Object.keys(options).length > 0 && { request: options }),
  }
}

export const keyword: Mapping = (monitor, losses, tables) => {
  const mapped = http(monitor, losses, tables)
  if (isRefusal(mapped)) return mapped
  const match = isSet(monitor, 'invert_keyword') ? { keywordMatch: 'NOT_EXISTS' } : {}
  return { ...mapped, type: 'KEYWORD', keyword: textOf(monitor, 'keyword'), ...match }
}

export const jsonQuery: Mapping = (monitor, losses, tables) => {
  const mapped = http(monitor, losses, tables)
  if (isRefusal(mapped)) return mapped
  const query = textOf(monitor, 'json_path')
  const { path, operator, value } = comparisonOf(monitor)
  const jsonPath = jsonPathOf(path)
  const assertions = jsonPath && valueAssertions(jsonPath, operator, value)
  if (assertions !== undefined) return { ...mapped, assertions }
  losses.push(`The JSON query ${query} has no equivalent: only the status code is checked.`)
  return mapped
}

/** The page is loaded, not rendered. */
export const browser: Mapping = (monitor, losses, tables) => {
  losses.push('The page is requested, but not opened in a browser.')
  return http(monitor, losses, tables)
}

export const webSocket: Mapping = (monitor, losses, tables) => {
  const mapped = http({ ...monitor, accepted_statuscodes_json: '["101"]' }, losses, tables)
  if (isRefusal(mapped)) return mapped
  if (textOf(monitor, 'ws_subprotocol') !== '') losses.push('The subprotocol is not requested.')
  if (isSet(monitor, 'ws_ignore_sec_websocket_accept_header'))
    losses.push('The header Sec-WebSocket-Accept must be right, which Uptime Kuma did not require.')
  return {
    ...mapped,
    url: textOf(monitor, 'url').replace(/^ws/i, 'http'),
    request: { ...(mapped.request as object | undefined), protocol: 'WEBSOCKET' },
  }
}

/** Kuma asks every node for alarms, and one that answers is enough. */
export const rabbitMq: Mapping = (monitor, losses) => {
  const nodes = jsonOf(monitor, 'rabbitmq_nodes')
  const [node, ...others] = Array.isArray(nodes) ? nodes.map(String) : []
  if (node === undefined) return { reason: 'It has no RabbitMQ node.' }
  if (others.length > 0) losses.push(`Only the node ${node} is checked, not ${others.join(', ')}.`)
  return {
    type: 'HTTP',
    url: `${node.replace(/\/+$/, '')}/api/health/checks/alarms`,
    expectedStatus: [200],
    request: {
      auth: {
        type: 'BASIC',
        username: textOf(monitor, 'rabbitmq_username'),
        password: textOf(monitor, 'rabbitmq_password'),
      },
    },
  }
}

/** Kuma's default is to tell 21, 14 and 7 days before. Pharos tells when the first of them is reached. */
export function expiryThreshold(tables: Tables, setting: string, losses: string[]): Fields {
  const days = settingOf(tables, setting)
  const numbers = Array.isArray(days) ? days.map(Number).filter(Number.isFinite) : []
  return {
    sslExpiryThresholdDays: bounded(
      'sslExpiryThresholdDays',
      Math.max(...(numbers.length > 0 ? numbers : [21])),
      losses,
    ),
  }
}

/** Members of `request`. */
export function addressFamilyOf(monitor: Row): Fields {
  const family = textOf(monitor, 'ip_family')
  return family === 'ipv4' || family === 'ipv6' ? { addressFamily: family.toUpperCase() } : {}
}

function contentTypeOf(monitor: Row, body: string): Record<string, string> {
  const type = contentTypes[textOf(monitor, 'http_body_encoding') || 'json']
  return body === '' || type === undefined ? {} : { 'Content-Type': type }
}

function headersOf(monitor: Row, losses: string[]): Record<string, string> {
  if (textOf(monitor, 'headers').trim() === '') return {}
  const headers = jsonOf(monitor, 'headers')
  if (!isObject(headers)) {
    losses.push('The headers are not valid JSON and are left out.')
    return {}
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** Members of `request`, or a header where a part of the credentials is empty. */
function credentialsOf(monitor: Row): Fields & { readonly header?: Fields } {
  const text = (column: string) => textOf(monitor, column)
  switch (text('auth_method')) {
    case 'basic': {
      const [username, password] = [text('basic_auth_user'), text('basic_auth_pass')]
      if (username !== '' && password !== '') return { auth: { type: 'BASIC', username, password } }
      return { header: { Authorization: basicAuthorization(username, password) } }
    }
    case 'bearer':
      return { auth: { type: 'BEARER', token: text('bearer_token') } }
    case 'oauth2-cc':
      return {
        auth: {
          type: 'OAUTH2_CLIENT_CREDENTIALS',
          tokenUrl: text('oauth_token_url'),
          clientId: text('oauth_client_id'),
          clientSecret: text('oauth_client_secret'),
          ...withoutEmpty({ scope: text('oauth_scopes'), audience: text('oauth_audience') }),
        },
      }
    case 'mtls': {
      const [cert, key] = [text('tls_cert'), text('tls_key')]
      return { ...(cert + key !== '' && { clientCertificate: { cert, key } }), ...withoutEmpty({ ca: text('tls_ca') }) }
    }
    default:
      return {}
  }
}

/** The URL of a proxy; undefined if Pharos cannot use its protocol. */
export function proxyUrl(proxy: Row): string | undefined {
  const protocol = textOf(proxy, 'protocol').replace(/^socks(5h?)?$/, 'socks5')
  if (!['http', 'https', 'socks5'].includes(protocol)) return undefined
  const part = (column: string) => encodeURIComponent(textOf(proxy, column))
  const login = isSet(proxy, 'auth') ? `${part('username')}:${part('password')}@` : ''
  const host = textOf(proxy, 'host')
  return `${protocol}://${login}${host.includes(':') ? `[${host}]` : host}:${textOf(proxy, 'port')}`
}

/** A member of `request`. */
function proxyOf(monitor: Row, losses: string[], { proxy }: Tables): Fields {
  const id = numberOf(monitor, 'proxy_id')
  if (id === undefined) return {}
  const found = proxy.find((one) => numberOf(one, 'id') === id)
  // Kuma does not use a proxy that is switched off either.
  if (found !== undefined && numberOf(found, 'active') === 0) return {}
  const url = found && proxyUrl(found)
  if (url !== undefined) return { proxyUrl: url }
  losses.push('Its proxy is not supported: it is checked directly.')
  return {}
}

function statusOf(monitor: Row, losses: string[]): readonly number[] {
  const ranges = jsonOf(monitor, 'accepted_statuscodes_json')
  const parsed = (Array.isArray(ranges) ? ranges : []).flatMap((range): [number, number][] => {
    const [from = Number.NaN, to = from] = String(range).split('-').map(Number)
    return Number.isInteger(from) && Number.isInteger(to) ? [[from, to]] : []
  })
  const codes = boundedStatus(parsed, losses)
  return codes.length > 0 ? codes : boundedStatus([[200, 299]], losses)
}

const comparison = /^(.*?)\s*(<=|>=|!=|=|<|>)\s*(?:"([^"]*)"|'([^']*)'|(-?[\d.]+))$/

/** Kuma 1 has no operators: people compare in the query and expect `true`. */
function comparisonOf(monitor: Row) {
  const [path, value] = [textOf(monitor, 'json_path').trim(), textOf(monitor, 'expected_value')]
  const [, compared, sign = '', ...values] = (value === 'true' && comparison.exec(path)) || []
  if (compared === undefined) return { path, operator: textOf(monitor, 'json_path_operator') || '==', value }
  return { path: compared, operator: sign === '=' ? '==' : sign, value: values.find((one) => one !== undefined) ?? '' }
}

const step = /^(?:\.?([A-Za-z_]\w*)|\.?`([^`]+)`|\[(\d+)\])/

/** Kuma's queries are JSONata. Plain paths mean the same in JSONPath; undefined for others. */
function jsonPathOf(query: string): string | undefined {
  let rest = query.trim().replace(/^\$\.?/, '')
  let path = '$'
  while (rest !== '') {
    const match = step.exec(rest)
    if (match === null) return undefined
    const [whole, name, quoted, index] = match
    path += name !== undefined ? `.${name}` : quoted !== undefined ? `[${JSON.stringify(quoted)}]` : `[${index}]`
    rest = rest.slice(whole.length)
  }
  return path
}

/** Kuma compares texts, also of numbers, or numbers, also of texts. Undefined for an unknown operator. */
function valueAssertions(path: string, operator: string, expected: string): readonly Fields[] | undefined {
  const assertion = (name: string, value: unknown) => ({ source: 'JSON', path, operator: name, value })
  const number = expected.trim() === '' ? Number.NaN : Number(expected)
  const value = typedValue(expected)
  switch (operator) {
    case '==':
      return [value === expected ? assertion('EQUALS', expected) : assertion('MATCHES', `^${escapePattern(expected)}$`)]
    case '!=':
      return [...new Set([expected, value])].map((one) => assertion('NOT_EQUALS', one))
    case 'contains':
      return [assertion('CONTAINS', expected)]
    case '<':
    case '>':
      return Number.isNaN(number) ? undefined : [assertion(operator === '<' ? 'LESS' : 'GREATER', number)]
    case '<=':
      return Number.isNaN(number) ? undefined : [assertion('LESS', nextNumber(number))]
    case '>=':
      return Number.isNaN(number) ? undefined : [assertion('GREATER', -nextNumber(-number))]
    default:
      return undefined
  }
}

/** The value that is written like this text in JSON, or the text. */
function typedValue(text: string): unknown {
  return /^(-?\d+(\.\d+)?|true|false|null)$/.test(text) ? JSON.parse(text.replace(/^(-?)0+(?=\d)/, '$1')) : text
}

/** The smallest number that is larger: less than it is the same as less than or equal. */
function nextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE
  const bits = new BigInt64Array(new Float64Array([value]).buffer)
  bits[0] = (bits[0] as bigint) + (value > 0 ? 1n : -1n)
  return new Float64Array(bits.buffer)[0] as number
}
