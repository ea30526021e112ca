import { isPublicAddress } from '../outbound/address-policy.ts'
import { requiresTls } from '../outbound/email.ts'
import { hostOf, isLoopback } from '../outbound/urls.ts'
import type { Config } from '../server/config/config.ts'
import { type DatabaseHosts, parseHosts } from '../storage/postgres/hosts.ts'

export interface Finding {
  readonly check: string
  /** With a warning Pharos runs, but something is unsafe or does not work. */
  readonly state: 'ok' | 'note' | 'warning' | 'problem'
  readonly message: string
}

type JudgedSettings = Pick<
  Config,
  | 'openSignup'
  | 'privateTargets'
  | 'privateWebhooks'
  | 'privateSubscribers'
  | 'baseUrl'
  | 'trustProxy'
  | 'metrics'
  | 'databaseUrl'
  | 'mail'
>

/** Settings that work but are unsafe, each with what to do. */
export function looseSettings(config: JudgedSettings): readonly Finding[] {
  const warnings = [
    ...openNetwork(config),
    ...openToVisitors(config),
    ...plainHttp(config),
    ...openMetrics(config),
    ...plainDatabase(config),
    ...plainMail(config),
  ]
  return warnings.map(([check, message]) => ({ check, state: 'warning', message }))
}

type Warning = readonly [check: string, message: string]

function* openNetwork({ openSignup, privateTargets, privateWebhooks }: JudgedSettings): Generator<Warning> {
  if (!openSignup) return
  for (const [name, policy, means] of [
    ['PHAROS_PRIVATE_TARGETS', privateTargets, 'monitors'],
    ['PHAROS_PRIVATE_WEBHOOKS', privateWebhooks, 'webhooks and alert contacts'],
  ] as const) {
    if (policy.trim() === 'deny') continue
    const message = `PHAROS_OPEN_SIGNUP is true and ${name} is ${policy}, so anyone who signs up can reach your private network with ${means}; set ${name}=deny`
    yield ['sign-up', message]
  }
}

function* openToVisitors({ privateSubscribers }: JudgedSettings): Generator<Warning> {
  if (privateSubscribers.trim() === 'deny') return
  const message = `PHAROS_PRIVATE_SUBSCRIBERS is ${privateSubscribers}, so visitors of status pages can have requests sent to your private network; set PHAROS_PRIVATE_SUBSCRIBERS=deny`
  yield ['subscribers', message]
}

function* plainHttp({ baseUrl, trustProxy }: JudgedSettings): Generator<Warning> {
  if (baseUrl === undefined) return
  const url = new URL(baseUrl)
  const { protocol, hostname } = url
  if (protocol === 'http:' && !isLoopback(hostOf(url))) {
    const message = `PHAROS_BASE_URL is ${baseUrl}, so passwords, sessions and API keys are sent unencrypted; use a proxy with TLS and set PHAROS_BASE_URL=https://${hostname}`
    yield ['TLS', message]
  }
  if (protocol === 'https:' && trustProxy.length === 0) {
    const message =
      'PHAROS_BASE_URL is https, but PHAROS_TRUST_PROXY is not set, so all clients behind the proxy share one address in rate limits and sign-in limits; set PHAROS_TRUST_PROXY to the address of the proxy'
    yield ['TLS', message]
  }
}

/** Names without a dot are those of container networks, which nobody else can reach. */
function* plainDatabase({ databaseUrl }: JudgedSettings): Generator<Warning> {
  const { urls, tls } = databaseUrl === undefined ? noHosts : hostsIn(databaseUrl)
  // A URL of a local socket has no host and is not one of `URL`.
  const hosts = urls.filter((url) => URL.canParse(url)).map((url) => hostOf(new URL(url)))
  const isRemote = hosts.some((host) => /[.:]/.test(host) && !isLoopback(host))
  const problem = tls?.mode === 'disable' ? 'are not encrypted' : 'accept every certificate'
  if (!isRemote || (tls?.mode !== 'disable' && tls?.mode !== 'no-verify')) return
  const message = `connections to PostgreSQL ${problem}, so others may read the password and all data; set sslmode=verify-full in DATABASE_URL`
  yield ['TLS', message]
}

const noHosts = { urls: [], tls: undefined }

/** The check of the database says what is wrong with a URL. */
function hostsIn(databaseUrl: string): Pick<DatabaseHosts, 'urls' | 'tls'> | typeof noHosts {
  try {
    return parseHosts(databaseUrl)
  } catch {
    return noHosts
  }
}

function* plainMail({ mail }: JudgedSettings): Generator<Warning> {
  if (mail === undefined) return
  const url = new URL(mail.url)
  if (isLoopback(hostOf(url))) return
  const to = `e-mails with links to accounts are sent to ${url.hostname}`
  if (/^(false|0)$/.test(url.searchParams.get('tls.rejectUnauthorized') ?? '')) {
    yield ['TLS', `${to} whatever its certificate; remove tls.rejectUnauthorized from PHAROS_SMTP_URL`]
  }
  if (requiresTls(url)) return
  yield ['TLS', `${to} without TLS if it offers none; set PHAROS_SMTP_URL=smtps://… or add ?requireTLS=true`]
}

function* openMetrics({ metrics }: JudgedSettings): Generator<Warning> {
  if (metrics === undefined) return
  const { host, port } = metrics
  // 0.0.0.0 and ::, in every notation.
  const isEveryAddress = /^(::ffff:)?[0.:]+$/i.test(host)
  if (!isEveryAddress && !isPublicAddress(host)) return
  const where = isEveryAddress ? 'all addresses of this machine' : `the public address ${host}`
  const message = `PHAROS_METRICS_LISTEN is on ${where}, and metrics need no password; set PHAROS_METRICS_LISTEN=127.0.0.1:${port} or an internal address, or let a firewall admit only your Prometheus`
  yield ['metrics', message]
}
