import Type from 'typebox'
import type { RequestOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES } from '../../contract/operation.ts'
import { patterns } from '../../contract/patterns.ts'
import { body, DOCUMENTED, documented, forbidding, having, oneOf, resource, singleLine } from '../../contract/schema.ts'
import { isObject } from '../../lib/json.ts'
import { userInfoOf } from '../../lib/mask.ts'
import type { MonitorType } from '../monitor-types/definitions.ts'
import { authorityFaults, clientCertificateFaults } from './check-pem.ts'
import { type OptionDefinition, SECRET_SET } from './definition.ts'

const secretText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description }))
const text = (description: string) => Type.Optional({ ...singleLine({ minLength: 1, maxLength: 500 }), description })
const pem = (description: string) => Type.String({ minLength: 1, maxLength: 20_000, description })

/** Without a path. */
const PROXY_ADDRESS = '^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss]5)://[^/?#\\\\\\s]+[/\\\\]?\\??#?$'
const PROXY_URL = '^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss]5)://[^/\\\\\\s]\\S*$'
const HOST_AND_PORT = '^(\\[[0-9a-fA-F:.]+\\]|[^\\s:/@\\[\\]]+):[1-9][0-9]{0,4}$'

const webTypes: readonly MonitorType[] = ['HTTP', 'KEYWORD']

/** The members of each kind of credentials; true: required. */
const authMembers = {
  BASIC: { username: true, password: true },
  DIGEST: { username: true, password: true },
  BEARER: { token: true },
  OAUTH2_CLIENT_CREDENTIALS: { tokenUrl: true, clientId: true, clientSecret: true, scope: false, audience: false },
} as const satisfies Record<string, Readonly<Record<string, boolean>>>

const authTypes = Object.keys(authMembers) as (keyof typeof authMembers)[]

const authProperties = {
  username: text('BASIC, DIGEST'),
  password: secretText('BASIC, DIGEST. Stored encrypted, and shown as "set"'),
  token: secretText('BEARER. Stored encrypted, and shown as "set"'),
  tokenUrl: Type.Optional(
    documented(Type.String({ minLength: 1, maxLength: 2048, description: 'OAUTH2_CLIENT_CREDENTIALS' }), {
      pattern: patterns.webhookUrl,
    }),
  ),
  clientId: text('OAUTH2_CLIENT_CREDENTIALS'),
  clientSecret: secretText('OAUTH2_CLIENT_CREDENTIALS. Stored encrypted, and shown as "set"'),
  scope: text('OAUTH2_CLIENT_CREDENTIALS'),
  audience: text('OAUTH2_CLIENT_CREDENTIALS'),
}

const Auth = documented(
  Type.Object(
    { type: oneOf(authTypes, { description: 'Decides which of the other fields apply' }), ...authProperties },
    { additionalProperties: false, description: 'The credentials. The token of OAuth 2.0 is kept until it expires' },
  ),
  {
    oneOf: Object.entries(authMembers).map(([type, members]) => ({
      properties: { type: { enum: [type] } },
      required: ['type', ...Object.entries(members).flatMap(([name, required]) => (required ? [name] : []))],
      not: { anyOf: Object.keys(authProperties).flatMap((name) => (name in members ? [] : [having(name)])) },
    })),
  },
)

const members = {
  auth: Type.Optional(Auth),
  clientCertificate: Type.Optional(
    Type.Object(
      {
        cert: pem('The certificate, as PEM'),
        key: pem('Its private key, as PEM. Stored encrypted, and shown as "set"'),
      },
      { additionalProperties: false, description: 'The certificate that is presented to the server' },
    ),
  ),
  ca: Type.Optional(pem('Certificates, as PEM, of the authorities that are trusted instead of the public ones')),
  proxyUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      [DOCUMENTED]: { pattern: PROXY_ADDRESS },
      description: 'http, https or socks5. A user name and password in it are stored encrypted, and shown as ***',
    }),
  ),
  maxRedirects: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 20, description: '0: redirects are not followed. Default: 10' }),
  ),
  protocol: Type.Optional(
    oneOf(['HTTP', 'WEBSOCKET', 'GRPC_HEALTH'], {
      description: 'WEBSOCKET: the server must accept an upgrade. GRPC_HEALTH: it must report SERVING. Default: HTTP',
    }),
  ),
  grpcService: text('GRPC_HEALTH: the service that is asked about. Default: the whole server'),
  resolver: documented(text('The DNS server that resolves the target, as host:port'), { pattern: HOST_AND_PORT }),
  addressFamily: Type.Optional(
    oneOf(['AUTO', 'IPV4', 'IPV6', 'BOTH'], {
      description: 'BOTH: the target is checked over IPv4 and IPv6, and the worse result counts. Default: AUTO',
    }),
  ),
  serverName: text('The name for SNI and for the check of the certificate. Default: the host'),
}

/** The members that types other than HTTP and KEYWORD have. */
const usedBy: Partial<Record<MonitorType, readonly (keyof RequestOptions)[]>> = {
  PORT: ['resolver', 'addressFamily', 'serverName'],
  SSL: ['resolver', 'addressFamily', 'serverName'],
  PING: ['resolver', 'addressFamily'],
  DNS: ['resolver'],
}

const example: RequestOptions = {
  auth: {
    type: 'OAUTH2_CLIENT_CREDENTIALS',
    tokenUrl: 'https://login.shop.example/oauth/token',
    clientId: 'pharos',
    clientSecret: 'set',
    scope: 'health:read',
  },
  addressFamily: 'BOTH',
}

/** Stored secrets are not sent to another server than the one that they were entered for. */
const keptWith = (...members: readonly string[]) => ({
  members,
  fault: `must be entered again when ${members.join(', ').replace(/, ([^,]*)$/, ' or $1')} changes`,
})

/** With another one of these, somebody else receives what is sent to the target. */
const destination = ['proxyUrl', 'resolver', 'serverName']

export const request: OptionDefinition<RequestOptions> = {
  noun: 'request options',
  description:
    'How requests are sent: credentials, client certificate, proxy, protocol and name resolution. HTTP and KEYWORD monitors have ' +
    'all of them, others only those for name resolution and TLS. By default there are none. Secrets sent as they are shown keep ' +
    'their stored values.',
  types: [...webTypes, ...(Object.keys(usedBy) as MonitorType[])],
  body: forbidding(body('SetMonitorRequest', members), {
    ...having('grpcService'),
    not: { required: ['protocol'], properties: { protocol: { enum: ['GRPC_HEALTH'] } } },
  }),
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: resource('MonitorRequest', members),
  render: (value) => value ?? {},
  faults: requestFaults,
  misfits,
  secrets: {
    'auth.password': { kind: 'secret', keptWith: keptWith(...destination) },
    'auth.token': { kind: 'secret', keptWith: keptWith(...destination) },
    'auth.clientSecret': { kind: 'secret', keptWith: keptWith(...destination, 'auth.tokenUrl') },
    'clientCertificate.key': { kind: 'secret', keptWith: keptWith('serverName') },
    proxyUrl: { kind: 'url' },
  },
  example: { body: example, answer: example },
}

function misfits(value: RequestOptions, type: MonitorType): Fault[] {
  if (type === 'HTTP') return []
  if (type !== 'KEYWORD') {
    return Object.keys(value)
      .filter((member) => !usedBy[type]?.includes(member as keyof RequestOptions))
      .map((path) => ({ path, message: `is not allowed for ${type} monitors` }))
  }
  const { protocol = 'HTTP' } = value
  if (protocol === 'HTTP') return []
  return [{ path: 'protocol', message: `must be HTTP for KEYWORD monitors: ${protocol} has no text to search` }]
}

const hostName = /^(?!-)[A-Za-z0-9_-]{1,63}(\.(?!-)[A-Za-z0-9_-]{1,63})*$/
const hostAndPort = new RegExp(HOST_AND_PORT)
const proxyForm = new RegExp(PROXY_URL)

function requestFaults(given: Readonly<Record<string, unknown>>): Fault[] {
  const { auth, proxyUrl, grpcService, protocol, resolver, serverName, ca, clientCertificate } = given
  const faults: Fault[] = isObject(auth) ? authFaults(auth, protocol) : []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if (typeof proxyUrl === 'string' && !isProxyUrl(proxyUrl))
    fault('proxyUrl', 'must be an http, https or socks5 address without a path, such as http://proxy.example:3128')
  if (grpcService !== undefined && protocol !== 'GRPC_HEALTH')
    fault('grpcService', 'is allowed only with the protocol GRPC_HEALTH')
  if (typeof resolver === 'string') {
    const port = Number(resolver.slice(resolver.lastIndexOf(':') + 1))
    if (!hostAndPort.test(resolver) || port > 65_535) fault('resolver', 'must be host:port, such as 192.0.2.53:53')
  }
  if (typeof serverName === 'string' && !hostName.test(serverName)) fault('serverName', 'must be a host name')
  if (typeof ca === 'string') faults.push(...authorityFaults(ca))
  if (isObject(clientCertificate)) {
    const { cert, key } = clientCertificate
    const keyGiven = typeof key === 'string' && key !== SECRET_SET ? key : undefined
    if (typeof cert === 'string') faults.push(...clientCertificateFaults(cert, keyGiven))
  }
  return faults
}

function isProxyUrl(text: string): boolean {
  const url = proxyForm.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === '' || url.port === '0') return false
  try {
    decodeURIComponent(url.username + url.password)
  } catch {
    return false
  }
  return ['', '/'].includes(url.pathname) && url.search === '' && url.hash === ''
}

function authFaults({ type, ...given }: Readonly<Record<string, unknown>>, protocol: unknown): Fault[] {
  const known = authTypes.find((name) => name === type)
  if (known === undefined) return []
  const allowed: Readonly<Record<string, boolean>> = authMembers[known]
  const missing = Object.keys(allowed).filter((name) => allowed[name] && given[name] === undefined)
  const foreign = Object.keys(given).filter((name) => name in authProperties && !(name in allowed))
  const { tokenUrl, token } = given
  const isUrl = typeof tokenUrl !== 'string' || (/^https?:\/\//i.test(tokenUrl) && URL.canParse(tokenUrl))
  return [
    ...missing.map((name) => ({ path: `auth.${name}`, message: `is required for ${known}` })),
    ...foreign.map((name) => ({ path: `auth.${name}`, message: `is not allowed for ${known}` })),
    ...(isUrl ? [] : [{ path: 'auth.tokenUrl', message: 'must be an http(s) address' }]),
    ...(typeof token === 'string' && !/^[\x21-\x7e]+$/.test(token)
      ? [{ path: 'auth.token', message: 'must consist of ASCII characters without spaces' }]
      : []),
    ...(known === 'DIGEST' && protocol === 'GRPC_HEALTH'
      ? [{ path: 'auth.type', message: 'must not be DIGEST with the protocol GRPC_HEALTH' }]
      : []),
    ...(isUrl && typeof tokenUrl === 'string' && userInfoOf(tokenUrl) !== undefined
      ? [{ path: 'auth.tokenUrl', message: 'must not have a user name or password' }]
      : []),
  ]
}
