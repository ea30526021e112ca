import { isIP } from 'node:net'
import { bootstrapKeyPattern } from '../../accounts/keys/secret.ts'
import { type PlanName, planNames } from '../../accounts/plans/plans.ts'
import { type LogLevel, logLevels } from '../../lib/log.ts'
import { maskUrl, userInfoOf } from '../../lib/mask.ts'
import { SEAL_KEY_BYTES } from '../../lib/seal.ts'
import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { SMTP_PARAMETERS } from '../../outbound/email.ts'
import type { RateLimit } from '../../storage/database.ts'
import { withTlsVariables } from '../../storage/postgres/hosts.ts'
import { type FirstUser, readFirstUser } from './first-user.ts'
import { type OidcConfig, readOidc } from './oidc.ts'
import { type Environment, readFiles } from './read-files.ts'
import { serverVariables } from './unknown-variables.ts'

const roles = ['api', 'checker', 'sender', 'scheduler'] as const
type Role = (typeof roles)[number]

/** The configuration, read once at start and validated. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The public address without a trailing slash. Undefined: the address that the server listens on. */
  readonly baseUrl: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly databasePool: number
  /** How long a node still serves after SIGTERM while /readyz answers 503. */
  readonly drainSeconds: number
  readonly roles: readonly Role[]
  readonly bootstrapKey: string | undefined
  /** Created at the start while there is no user. */
  readonly firstUser: FirstUser | undefined
  readonly rateLimit: number
  /** Address policy as text: validated here, parsed where it is used. */
  readonly privateTargets: string
  readonly privateWebhooks: string
  readonly privateSubscribers: string
  readonly webhookScheduleSeconds: readonly number[]
  /** Mail server and sender address; undefined: no e-mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** What has to be set for `mail`. */
  readonly missingMailVariables: readonly string[]
  /** Alerts within this time are sent as one message. */
  readonly alertWaitSeconds: number
  readonly confirmDelaysSeconds: readonly number[]
  readonly dnsServers: readonly string[]
  readonly rdapBootstrap: string
  /** Retention of raw results on the SELF_HOSTED plan. */
  readonly rawResultsDays: number
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  /** Whether a failed connection needs a proof that this node's own network works. */
  readonly selfDoubt: boolean
  readonly oidc: OidcConfig | undefined
  readonly openSignup: boolean
  readonly signupPlan: PlanName
  readonly secretKeys: readonly Buffer[]
  readonly trustProxy: readonly string[]
  /** The header that names the host of a request, in lower case. Another one than `host` only counts from trusted proxies. */
  readonly hostHeader: string
  readonly requiresDomainProof: boolean
  /** Whether status pages say in their footer that they run on Pharos. */
  readonly poweredBy: boolean
  readonly metrics: { readonly host: string; readonly port: number } | undefined
  readonly logLevel: LogLevel
}

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export const DEFAULT_DATA_DIR = './data'

const defaultSchedule = '0,5,300,1800,7200,18000,36000,50400'

/** Validates the environment. The error lists every wrong variable with what is expected. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const env = readFiles(environment, serverVariables, problems)
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    try {
      return parse(env[name] ?? fallback)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
      return undefined as T
    }
  }
  const optional = <T>(name: string, parse: (text: string) => T): T | undefined =>
    env[name] === undefined || env[name] === '' ? undefined : read(name, '', parse)

  const smtp = optional('PHAROS_SMTP_URL', smtpUrl)
  const mailFrom = optional('PHAROS_MAIL_FROM', mailSender)
  if (smtp !== undefined && !env.PHAROS_MAIL_FROM)
    problems.push('PHAROS_MAIL_FROM: required with PHAROS_SMTP_URL, such as Pharos <pharos@example.com>')
  const openSignup = read('PHAROS_OPEN_SIGNUP', 'false', trueOrFalse)
  const trustProxy = read('PHAROS_TRUST_PROXY', '', proxies)
  const config: Config = {
    port: read('PORT', '3000', wholeNumber(0, 65_535)),
    host: read('HOST', '127.0.0.1', nonEmpty),
    baseUrl: optional('PHAROS_BASE_URL', publicAddress),
    dataDir: read('PHAROS_DATA_DIR', DEFAULT_DATA_DIR, nonEmpty),
    databaseUrl: optional('DATABASE_URL', (text) => withTlsVariables(postgresUrl(text), environment)),
    databasePool: read('PHAROS_DATABASE_POOL', '10', wholeNumber(2, 1_000)),
    // With SQLite there is no other node that could take over.
    drainSeconds: read('PHAROS_DRAIN_SECONDS', env.DATABASE_URL ? '5' : '0', wholeNumber(0, 300)),
    roles: read('PHAROS_ROLES', 'all', listOfRoles),
    bootstrapKey: optional('PHAROS_BOOTSTRAP_KEY', bootstrapKey),
    firstUser: readFirstUser(env, problems),
    rateLimit: read('PHAROS_RATE_LIMIT', '120', wholeNumber(1, 1_000_000_000)),
    privateTargets: read('PHAROS_PRIVATE_TARGETS', openSignup ? 'deny' : 'allow', policy),
    privateWebhooks: read('PHAROS_PRIVATE_WEBHOOKS', 'deny', policy),
    privateSubscribers: read('PHAROS_PRIVATE_SUBSCRIBERS', 'deny', policy),
    webhookScheduleSeconds: read('PHAROS_WEBHOOK_SCHEDULE', defaultSchedule, seconds({ atLeast: 1 })),
    mail: smtp === undefined || mailFrom === undefined ? undefined : { url: smtp, from: mailFrom },
    missingMailVariables: ['PHAROS_SMTP_URL', 'PHAROS_MAIL_FROM'].filter((name) => !env[name]),
    alertWaitSeconds: read('PHAROS_ALERT_WAIT', '5', wholeNumber(0, 60)),
    confirmDelaysSeconds: read('PHAROS_CONFIRM_DELAYS', '1,3', seconds({ atLeast: 0 })),
    dnsServers: read('PHAROS_DNS_SERVERS', '', resolvers),
    rdapBootstrap: read('PHAROS_RDAP_BOOTSTRAP', 'https://data.iana.org/rdap/dns.json', httpAddress),
    rawResultsDays: read('PHAROS_RAW_RESULTS_DAYS', '90', wholeNumber(1, 3650)),
    sentinels: read('PHAROS_SENTINELS', '', hostsAndPorts),
    selfDoubt: read('PHAROS_SELF_DOUBT', 'on', onOrOff),
    oidc: readOidc(env, problems),
    openSignup,
    signupPlan: read('PHAROS_SIGNUP_PLAN', 'FREE', planName),
    secretKeys: read('PHAROS_SECRET_KEY', '', sealKeys),
    trustProxy,
    hostHeader: optional('PHAROS_HOST_HEADER', headerName) ?? 'host',
    requiresDomainProof: optional('PHAROS_DOMAIN_PROOF', isProofRequired) === true || openSignup,
    poweredBy: read('PHAROS_POWERED_BY', 'true', trueOrFalse),
    metrics: optional('PHAROS_METRICS_LISTEN', listenAddress),
    logLevel: read('PHAROS_LOG_LEVEL', 'info', logLevel),
  }
  if (config.hostHeader !== 'host' && trustProxy?.length === 0)
    problems.push('PHAROS_HOST_HEADER: requires PHAROS_TRUST_PROXY, because only a trusted proxy may set this header')
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

function fail(message: string): never {
  throw new Error(message)
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return value >= least && value <= most
      ? value
      : fail(`must be a whole number from ${least} to ${most}, not "${text}"`)
  }
}

function nonEmpty(text: string): string {
  return text.trim() === '' ? fail('must not be empty') : text
}

function onOrOff(text: string): boolean {
  return text === 'on' ? true : text === 'off' ? false : fail(`must be on or off, not "${text}"`)
}

function trueOrFalse(text: string): boolean {
  return text === 'true' ? true : text === 'false' ? false : fail(`must be true or false, not "${text}"`)
}

function httpAddress(text: string): string {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
    ? text
    : fail(`must be an http or https URL, not "${maskUrl(text)}"`)
}

function publicAddress(text: string): string {
  const url = new URL(httpAddress(text))
  if (url.search !== '' || url.hash !== '' || userInfoOf(text) !== undefined)
    fail('must be a URL without query, fragment, user name and password, such as https://status.example.com')
  return text.replace(/\/+$/, '')
}

function postgresUrl(text: string): string {
  return /^postgres(ql)?:\/\//.test(text) ? text : fail('must start with postgres://')
}

function smtpUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return fail('must be a mail server URL such as smtp://user:password@mail.example.com:587')
  const known: readonly string[] = SMTP_PARAMETERS
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name) && !name.startsWith('tls.'))
  if (unknown === undefined) return text
  return fail(
    `has an unknown parameter "${unknown}"; use ${known.join(', ')} or tls.…, and smtps:// for TLS from the start`,
  )
}

function mailSender(text: string): string {
  const form = /^(?:[^<>\p{Cc}]* <([^\s<>@]+@[^\s<>@]+)>|[^\s<>@]+@[^\s<>@]+)$/u
  return form.test(text) ? text : fail('must be an e-mail address such as Pharos <pharos@example.com>')
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function listOfRoles(text: string): readonly Role[] {
  if (text.trim() === 'all') return roles
  const named = list(text)
  const unknown = named.find((name) => !(roles as readonly string[]).includes(name))
  if (unknown !== undefined || named.length === 0)
    fail(`unknown role "${unknown ?? text}"; use all, or a list of ${roles.join(', ')}`)
  return named as Role[]
}

function bootstrapKey(text: string): string {
  return bootstrapKeyPattern.test(text)
    ? text
    : fail('must be phr_ followed by at least 20 letters, digits, "-" or "_"')
}

function seconds({ atLeast }: { atLeast: number }) {
  return (text: string): readonly number[] => {
    const delays = list(text).map((part) =>
      /^\d+(\.\d+)?$/.test(part)
        ? Number(part)
        : fail(`must be a list of seconds such as 0,5,300; "${part}" is not a number`),
    )
    return delays.length >= atLeast ? delays : fail(`must be a list of seconds such as ${defaultSchedule}`)
  }
}

function resolvers(text: string): readonly string[] {
  return list(text).map((server) => {
    const host = /^\[(.+)\](?::\d+)?$/.exec(server)?.[1] ?? (isIP(server) === 6 ? server : server.replace(/:\d+$/, ''))
    return isIP(host) === 0 ? fail(`must be a list of IP addresses such as 9.9.9.9; "${server}" is not one`) : server
  })
}

function hostsAndPorts(text: string): readonly { host: string; port: number }[] {
  return list(text).map((part) => {
    const url = URL.parse(`tcp://${part}`)
    if (url === null || url.hostname === '' || url.port === '')
      fail(`must be a list of host:port, not "${maskUrl(part)}"`)
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) }
  })
}

function proxies(text: string): readonly string[] {
  return list(text).map((proxy) => {
    const [address = '', bits, ...rest] = proxy.split('/')
    const widest = isIP(address) === 6 ? 128 : 32
    const sound = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest)
    return isIP(address) === 0 || rest.length > 0 || !sound
      ? fail(`must be a list of IP addresses or networks such as 10.0.0.0/8; "${proxy}" is not one`)
      : proxy
  })
}

function headerName(text: string): string {
  const name = text.toLowerCase()
  return /^[a-z0-9-]+$/.test(name) ? name : fail(`must be a header name such as x-forwarded-host, not "${name}"`)
}

function isProofRequired(text: string): boolean {
  return text === 'required' ? true : text === 'auto' ? false : fail(`must be auto or required, not "${text}"`)
}

function policy(text: string): string {
  parseAddressPolicy(text)
  return text
}

function planName(text: string): PlanName {
  return planNames.find((name) => name === text) ?? fail(`unknown plan "${text}"; use ${planNames.join(', ')}`)
}

function sealKeys(text: string): readonly Buffer[] {
  return list(text).map((part) => {
    const key = Buffer.from(part, 'base64')
    return key.length === SEAL_KEY_BYTES
      ? key
      : fail(
          `each key must be ${SEAL_KEY_BYTES} bytes in base64; create one with "openssl rand -base64 ${SEAL_KEY_BYTES}"`,
        )
  })
}

function listenAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(?:\[?([^\]]*?)\]?:)?(\d+)$/.exec(text) ?? fail(`must be host:port, not "${text}"`)
  return { host: host === undefined || host === '' ? '127.0.0.1' : host, port: wholeNumber(0, 65_535)(port as string) }
}

const RATE_WINDOW_MS = 60_000

/** The rate limit of the public API. */
export function rateLimitOf({ rateLimit }: Config): RateLimit {
  return { quota: rateLimit, windowMs: RATE_WINDOW_MS }
}

function logLevel(text: string): LogLevel {
  return logLevels.find((level) => level === text) ?? fail(`unknown level "${text}"; use ${logLevels.join(', ')}`)
}
