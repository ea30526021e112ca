import { isIP } from 'node:net'
import { isPublicAddress } from '../outbound/address-policy.ts'
import type { Config } from '../server/config/config.ts'

export interface Finding {
  readonly check: string
  /** With a warning Pharos runs, but something is unsafe or does not work. */
  readonly state: 'ok' | 'note' | 'warning' | 'problem'
  readonly message: string
}

type JudgedSettings = Pick<
  Config,
  'openSignup' | 'privateTargets' | 'privateWebhooks' | 'privateSubscribers' | 'baseUrl' | 'trustProxy' | 'metrics'
>

/** Settings that work but are unsafe, each with what to do. */
export function looseSettings(config: JudgedSettings): readonly Finding[] {
  const warnings = [...openNetwork(config), ...openToVisitors(config), ...plainHttp(config), ...openMetrics(config)]
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
  const { protocol, hostname } = new URL(baseUrl)
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const message = `PHAROS_BASE_URL is ${baseUrl}, so passwords, sessions and API keys are sent unencrypted; use a proxy with TLS and set PHAROS_BASE_URL=https://${hostname}`
    yield ['TLS', message]
  }
  if (protocol === 'https:' && trustProxy.length === 0) {
    const message =
      'PHAROS_BASE_URL is https, but PHAROS_TRUST_PROXY is not set, so all clients behind the proxy share one address in rate limits and sign-in limits; set PHAROS_TRUST_PROXY to the address of the proxy'
    yield ['TLS', message]
  }
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

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 4) return host.startsWith('127.')
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost')
}
