import { randomBytes } from 'node:crypto'
import dns from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { connectTcp } from '../../outbound/connect.ts'
import { ConnectError, codeOf } from '../../outbound/errors.ts'
import { createGuard } from '../../outbound/guard.ts'

/** A failure of one target is reported at most this much later. */
const TIMEOUT_MS = 1_500
/** Most routers answer on one of them, or refuse. */
const GATEWAY_PORTS = [53, 80, 443, 22]
/** A resolver does not know what does not exist: it must ask the servers of the zone, whose denials cannot be derived. */
const ZONE = 'com'

export interface Endpoint {
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
export async function anyHostAnswers(hosts: readonly Endpoint[], options: AskOptions): Promise<boolean> {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TIMEOUT_MS)])
  return anySucceeds(hosts.map((host) => reach(host, options, signal))).finally(() => ended.abort())
}

/** True as soon as one of these succeeds. */
export function anySucceeds(work: readonly Promise<unknown>[]): Promise<boolean> {
  return Promise.any(work).then(
    () => true,
    () => false,
  )
}

async function reach(
  { host, port }: Endpoint,
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
  return anySucceeds(servers.map(ask))
}

/** The router on the way to an IPv4 address, by the text of /proc/net/route: on the same network if the target is on ours. */
export function gatewayIn(routes: string, address: string): string | undefined {
  if (isIPv6(address)) return undefined
  const target = numberOf(address)
  const all = routes
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, destination = '', gateway = '', , , , , mask = ''] = line.split(/\s+/)
      return { destination: fromHex(destination), gateway: fromHex(gateway), mask: fromHex(mask) }
    })
  const covers = ({ destination, mask }: Route, of: number): boolean => (of & mask) >>> 0 === destination
  const [best] = all.filter((route) => covers(route, target)).sort((a, b) => b.mask - a.mask)
  if (best === undefined) return undefined
  if (best.gateway !== 0) return textOf(best.gateway)
  const onNetwork = all.find(({ gateway }) => gateway !== 0 && covers(best, gateway))
  return onNetwork && textOf(onNetwork.gateway)
}

interface Route {
  readonly destination: number
  readonly gateway: number
  readonly mask: number
}

/** The file has the bytes in the order of the machine, which is little-endian on all that Node supports. */
function fromHex(text: string): number {
  return text === '' ? 0 : Buffer.from(text, 'hex').readUInt32LE()
}

function numberOf(address: string): number {
  return Buffer.from(address.split('.').map(Number)).readUInt32BE()
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')
}
