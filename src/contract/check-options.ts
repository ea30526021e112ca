/**
 * Settings of a monitor that the contract does not have. Each is a resource of its own below the monitor
 * (`/monitors/{id}/assertions` and so on) and absent by default.
 */
export interface MonitorOptions {
  readonly assertions?: Assertions
  readonly request?: RequestOptions
  readonly dialogue?: Dialogue
  readonly schedule?: Schedule
  readonly confirmation?: Confirmation
  readonly notes?: Notes
  readonly legacyAddress?: LegacyAddress
}

/** What probes need of them. A target without options has no such member. */
export type ProbeOptions = Pick<MonitorOptions, 'assertions' | 'request' | 'dialogue' | 'confirmation'>

export interface Assertions {
  /** All must hold. At most 20. */
  readonly assertions: readonly Assertion[]
}

export const assertionSources = [
  'STATUS',
  'HEADER',
  'JSON',
  'BODY',
  'RESPONSE_MS',
  'CERTIFICATE_DAYS',
  'RECORD',
] as const
export const assertionOperators = [
  'EQUALS',
  'NOT_EQUALS',
  'CONTAINS',
  'NOT_CONTAINS',
  'MATCHES',
  'GREATER',
  'LESS',
  'EXISTS',
  'NOT_EXISTS',
] as const

export interface Assertion {
  readonly source: (typeof assertionSources)[number]
  /** HEADER: a name. JSON: a JSONPath (RFC 9535). Otherwise absent. */
  readonly path?: string
  readonly operator: (typeof assertionOperators)[number]
  /** MATCHES: an RE2 pattern. GREATER, LESS: a number. EXISTS, NOT_EXISTS: absent. */
  readonly value?: string | number | boolean | null
  readonly severity: 'DOWN' | 'DEGRADED'
}

export type Auth =
  | { readonly type: 'BASIC' | 'DIGEST'; readonly username: string; readonly password: string }
  | { readonly type: 'BEARER'; readonly token: string }
  | {
      readonly type: 'OAUTH2_CLIENT_CREDENTIALS'
      readonly tokenUrl: string
      readonly clientId: string
      readonly clientSecret: string
      readonly scope?: string
      readonly audience?: string
    }

/** How a request is sent. An absent member means the default. */
export interface RequestOptions {
  readonly auth?: Auth
  /** PEM texts. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string }
  /** PEM text of the authorities that are trusted instead of the built-in ones. */
  readonly ca?: string
  /** http, https or socks5; may hold a user name and password. */
  readonly proxyUrl?: string
  readonly maxRedirects?: number
  readonly protocol?: 'HTTP' | 'WEBSOCKET' | 'GRPC_HEALTH'
  /** GRPC_HEALTH: the service that is asked about; absent: the whole server. */
  readonly grpcService?: string
  /** The DNS server that resolves the target: host:port. */
  readonly resolver?: string
  readonly addressFamily?: 'AUTO' | 'IPV4' | 'IPV6' | 'BOTH'
  /** The name for SNI and for the certificate check, instead of the host. */
  readonly serverName?: string
}

export interface DialogueStep {
  readonly send?: string
  readonly sendHex?: string
  /** A text that the reply must contain, or an RE2 pattern between slashes. */
  readonly expect?: string
  /** Begin TLS before this step. */
  readonly startTls?: boolean
}

export interface Dialogue {
  readonly transport: 'TCP' | 'TLS' | 'STARTTLS' | 'UDP'
  readonly preset?: string
  readonly steps?: readonly DialogueStep[]
}

export interface Schedule {
  readonly cron: string
  readonly timezone: string
}

export interface Confirmation {
  /** Absent: one per delay. */
  readonly failureRetries?: number
  /** The last one counts for the repeats that have none. Absent: those of the installation. */
  readonly retryDelaysSeconds?: readonly number[]
  readonly recoverySuccesses: number
}

/** Where a job reported to another tool. */
export interface LegacyAddress {
  readonly tool: 'KUMA' | 'HEALTHCHECKS' | 'GATUS'
  readonly token: string
  /** GATUS only. */
  readonly bearer?: string
}

export interface Notes {
  readonly runbookUrl?: string
  readonly text?: string
}
