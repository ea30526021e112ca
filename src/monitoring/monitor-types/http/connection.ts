import type { Socket } from 'node:net'
import type { RequestOptions } from '../../../contract/check-options.ts'
import type { Timings } from '../../../contract/probe.ts'
import { LookupError } from '../../../outbound/errors.ts'
import type { Guard } from '../../../outbound/guard.ts'
import { openProxy, proxyAuthorization, tunnel } from '../../../outbound/proxy.ts'
import { connectTls } from '../../../outbound/tls.ts'
import { hostOf } from '../../../outbound/urls.ts'
import { guardFor } from '../apply-request-options.ts'
import { type Attempt, connect, msSince, observeCertificate } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'

const ALPN = ['http/1.1']

export interface Peer {
  readonly address: string
  readonly port: number
}

/** A new connection for one request, permitted by the guard, with TLS where the URL asks for it. */
export interface HttpConnection extends Disposable {
  readonly socket: Socket
  readonly peer: Peer
  readonly timings: Timings
  /** An http proxy gets the request itself and forwards it. */
  readonly forwarding?: { readonly authorization: string | undefined } | undefined
}

export async function openConnection(
  url: URL,
  verify: boolean,
  tools: NetworkTools,
  attempt: Attempt,
  options?: RequestOptions,
  alpn = ALPN,
): Promise<HttpConnection> {
  const isTls = url.protocol === 'https:'
  const host = hostOf(url)
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  const guard = guardFor(tools.guard, options)
  const reached: Reached =
    options?.proxyUrl === undefined
      ? await connect(attempt, host, port, guard)
      : await connectByProxy(new URL(options.proxyUrl), url, port, options, guard, tools, attempt)
  const { socket, address, timings, forwarding } = reached
  const peer = { address, port }
  if (!isTls) return { socket, peer, timings, forwarding, [Symbol.dispose]: () => closePlain(socket) }

  attempt.stage = 'tls'
  const tlsOptions = { host: options?.serverName ?? host, contexts: guard.tlsContexts, verify, alpn }
  const { socket: secured, certificate, peer: tlsPeer, tlsMs } = await connectTls(socket, tlsOptions, attempt.signal)
  timings.tlsMs = Math.round(tlsMs)
  observeCertificate(attempt, certificate, tlsPeer)
  return { socket: secured, peer, timings, [Symbol.dispose]: () => secured.destroy() }
}

interface Reached extends Pick<HttpConnection, 'socket' | 'timings' | 'forwarding'> {
  readonly address: string
}

/**
 * Connects through a proxy. The guard of the target checks its name here, and a tunnel is asked for with the address that was
 * checked. A name that does not resolve here is left to the proxy, unless the monitor chose how to resolve it.
 */
async function connectByProxy(
  proxy: URL,
  url: URL,
  port: number,
  { resolver, addressFamily = 'AUTO', protocol = 'HTTP' }: RequestOptions,
  targetGuard: Guard,
  { guard }: NetworkTools,
  attempt: Attempt,
): Promise<Reached> {
  const host = hostOf(url)
  attempt.host = host
  attempt.stage = 'lookup'
  const isChosen = resolver !== undefined || addressFamily !== 'AUTO'
  const [address = host] = await targetGuard.resolve(host, attempt.signal).then(
    ({ addresses }) => addresses,
    (error) => {
      if (error instanceof LookupError && !isChosen) return []
      throw error
    },
  )
  const startedAt = performance.now()
  const opened = await openProxy(proxy, guard, attempt.signal, (tried) => {
    attempt.observed.triedIp = tried
  })
  const { socket } = opened
  attempt.observed.ip = opened.address
  const isForwarding = url.protocol === 'http:' && protocol === 'HTTP' && proxy.protocol !== 'socks5:'
  if (!isForwarding) await tunnel(socket, proxy, { host: address, port }, attempt.signal)
  const timings: Timings = { connectMs: msSince(startedAt) }
  attempt.observed.timings = timings
  const forwarding = isForwarding ? { authorization: proxyAuthorization(proxy) } : undefined
  return { socket, address, timings, forwarding }
}

function closePlain(socket: Socket): void {
  // After a complete response it is already closing in the order that avoids a reset (see response.ts).
  const isClosing = socket.writableEnded && socket.writableLength === 0
  if (!isClosing) socket.destroy()
}
