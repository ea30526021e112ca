import { randomBytes } from 'node:crypto'
import dns from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { connectTcp } from '../../outbound/connect.ts'
import { ConnectError, codeOf } from '../../outbound/errors.ts'
import { createGuard } from '../../outbound/guard.ts'
import { gatewayIn } from './doubt.ts'

/** A failure of one target is reported at most this much later. */
const TIMEOUT_MS = 1_500
/** Most routers answer on one of them, or refuse. */
const GATEWAY_PORTS = [53, 80, 443, 22]
/** A resolver does not know what does not exist: it must ask the servers of the zone, whose denials cannot be derived. */
const ZONE = 'com'

export interface Sentinel {
  readonly host: string
  readonly port: number
}

// The operator chose sentinels and gateway, and other hosts have passed the guard of their monitors.
const guard = createGuard({ policy: 'allow' })

interface AskOptions {
  readonly isRefusalEnough: boolean
  /** Which addresses of a name are tried; by default all. */
  readonly isUsable?: (address: string) => boolean
}

/** True if one of these accepts a connection, or refuses it where that is enough of an answer. */
export async function anyHostAnswers(hosts: readonly Sentinel[], options: AskOptions): Promise<boolean> {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    await Promise.any(hosts.map((host) => reach(host, options, signal)))
    return true
  } catch {
    return false
  } finally {
    ended.abort()
  }
}

async function reach(
  { host, port }: Sentinel,
  { isRefusalEnough, isUsable = () => true }: AskOptions,
  signal: AbortSignal,
): Promise<void> {
  const { addresses } = await guard.resolve(host, signal)
  try {
    const { socket } = await connectTcp(addresses.filter(isUsable), port, signal)
    socket.destroy()
  } catch (error) {
    const isRefusal = error instanceof ConnectError && codeOf(error.cause) === 'ECONNREFUSED'
    if (!isRefusal || !isRefusalEnough) throw error
  }
}

export async function gatewayAnswers(address: string): Promise<boolean> {
  const routes = await readFile('/proc/net/route', 'latin1').catch(() => '')
  const gateway = gatewayIn(routes, address)
  if (gateway === undefined) return false
  return anyHostAnswers(
    GATEWAY_PORTS.map((port) => ({ host: gateway, port })),
    { isRefusalEnough: true },
  )
}

/**
 * Whether a DNS server answers for a name that it cannot have cached. A refusal shows that the server works, but not that it
 * reaches other networks.
 */
export async function resolverAnswers(servers: readonly string[], isRefusalEnough: boolean): Promise<boolean> {
  const answers = new Set(['ENOTFOUND', 'ENODATA', ...(isRefusalEnough ? ['EREFUSED'] : [])])
  const name = `${randomBytes(12).toString('hex')}.${ZONE}`
  const ask = async (server: string): Promise<void> => {
    const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: 1 })
    resolver.setServers([server])
    await resolver.resolve4(name).catch((error: unknown) => {
      if (!answers.has(codeOf(error))) throw error
    })
  }
  return Promise.any(servers.map(ask)).then(
    () => true,
    () => false,
  )
}
