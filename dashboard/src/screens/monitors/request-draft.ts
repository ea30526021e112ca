import type { PublicSchemas } from '../../api/client.ts'
import type { MonitorType } from './types.ts'

type Stored = PublicSchemas['MonitorRequest']
type Body = PublicSchemas['SetMonitorRequest']

/** How the API shows a stored secret. Sent back, it keeps the secret. */
export const SECRET_SET = 'set'

/** Form values of request options; empty means the default. */
export interface RequestDraft {
  readonly authType: NonNullable<Stored['auth']>['type'] | 'NONE'
  readonly username: string
  readonly password: string
  readonly token: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly audience: string
  readonly cert: string
  readonly key: string
  readonly ca: string
  readonly proxyUrl: string
  readonly maxRedirects: number | null
  readonly protocol: NonNullable<Stored['protocol']>
  readonly grpcService: string
  readonly resolver: string
  readonly addressFamily: NonNullable<Stored['addressFamily']>
  readonly serverName: string
}

const web = ['auth', 'clientCertificate', 'ca', 'proxyUrl', 'maxRedirects'] as const
const network = ['resolver', 'addressFamily', 'serverName'] as const

/** The options that each type has. */
export const requestFields: Readonly<Partial<Record<MonitorType, readonly (keyof Stored)[]>>> = {
  HTTP: [...web, 'protocol', 'grpcService', ...network],
  KEYWORD: [...web, ...network],
  SSL: network,
  PORT: network,
  PING: ['resolver', 'addressFamily'],
  DNS: ['resolver'],
}

export function requestDraftOf(stored: Stored): RequestDraft {
  const { auth, clientCertificate, ca, proxyUrl, maxRedirects, protocol, grpcService, resolver } = stored
  return {
    authType: auth?.type ?? 'NONE',
    username: auth?.username ?? '',
    password: auth?.password ?? '',
    token: auth?.token ?? '',
    tokenUrl: auth?.tokenUrl ?? '',
    clientId: auth?.clientId ?? '',
    clientSecret: auth?.clientSecret ?? '',
    scope: auth?.scope ?? '',
    audience: auth?.audience ?? '',
    cert: clientCertificate?.cert ?? '',
    key: clientCertificate?.key ?? '',
    ca: ca ?? '',
    proxyUrl: proxyUrl ?? '',
    maxRedirects: maxRedirects ?? null,
    protocol: protocol ?? 'HTTP',
    grpcService: grpcService ?? '',
    resolver: resolver ?? '',
    addressFamily: stored.addressFamily ?? 'AUTO',
    serverName: stored.serverName ?? '',
  }
}

/** Without stored secrets: they belong to another monitor or another address. */
export function withoutSecrets(draft: RequestDraft): RequestDraft {
  const entries = Object.entries(draft).map(([name, value]) => [name, value === SECRET_SET ? '' : value])
  return Object.fromEntries(entries) as RequestDraft
}

export function hasSecrets(draft: RequestDraft): boolean {
  return Object.values(draft).includes(SECRET_SET)
}

/** Whether the server removes the login when the URL changes so: another host or port, or http instead of https. */
export function isElsewhere(before: string, after: string): boolean {
  const [old, now] = [URL.parse(before), URL.parse(after)]
  if (old === null || now === null || old.origin === now.origin) return false
  const isUpgraded = old.protocol === 'http:' && now.protocol === 'https:' && old.port === '' && now.port === ''
  return old.hostname !== now.hostname || !isUpgraded
}

/** The options of a monitor of this type; undefined if all are at their defaults. */
export function requestBodyOf(draft: RequestDraft, type: MonitorType): Body | undefined {
  const { cert, key, maxRedirects, protocol, addressFamily } = draft
  const values: Record<keyof Stored, unknown> = {
    auth: authOf(draft),
    // A stored key goes with its certificate.
    clientCertificate: cert.trim() === '' && ['', SECRET_SET].includes(key.trim()) ? undefined : { cert, key },
    ca: filled(draft.ca),
    proxyUrl: filled(draft.proxyUrl),
    maxRedirects: maxRedirects ?? undefined,
    protocol: protocol === 'HTTP' ? undefined : protocol,
    grpcService: protocol === 'GRPC_HEALTH' ? filled(draft.grpcService) : undefined,
    resolver: filled(draft.resolver),
    addressFamily: addressFamily === 'AUTO' ? undefined : addressFamily,
    serverName: filled(draft.serverName),
  }
  const entries = (requestFields[type] ?? []).map((name) => [name, values[name]] as const)
  const set = entries.filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : (Object.fromEntries(set) as Body)
}

function authOf({ authType: type, ...draft }: RequestDraft): object | undefined {
  switch (type) {
    case 'NONE':
      return undefined
    case 'BEARER':
      return { type, token: draft.token }
    case 'BASIC':
    case 'DIGEST':
      return { type, username: draft.username, password: draft.password }
    case 'OAUTH2_CLIENT_CREDENTIALS': {
      const { tokenUrl, clientId, clientSecret } = draft
      const [scope, audience] = [filled(draft.scope), filled(draft.audience)]
      return {
        type,
        tokenUrl: tokenUrl.trim(),
        clientId,
        clientSecret,
        ...(scope !== undefined && { scope }),
        ...(audience !== undefined && { audience }),
      }
    }
  }
}

function filled(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim()
}
