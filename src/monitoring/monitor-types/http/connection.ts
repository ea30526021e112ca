import type { Socket } from 'node:net'
import type { RequestOptions } from '../../../contract/check-options.ts'
import type { Timings } from '../../../contract/probe.ts'
import { connectTls } from '../../../outbound/tls.ts'
import { hostOf } from '../../../outbound/urls.ts'
import { guardFor } from '../apply-request-options.ts'
import { type Attempt, connect, observeCertificate } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'

const ALPN = ['http/1.1']

export interface Peer {
  readonly address: string
  readonly port: number
}

/** A new connection for one request, permitted by the guard, with TLS where the URL asks for it. */
export interface HttpConnection {
  readonly socket: Socket
  readonly peer: Peer
  readonly timings: Timings
  close(): void
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
  const { socket, address, timings } = await connect(attempt, host, port, guard)
  const peer = { address, port }
  if (!isTls) return { socket, peer, timings, close: () => closePlain(socket) }

  attempt.stage = 'tls'
  const tlsOptions = { host: options?.serverName ?? host, contexts: guard.tlsContexts, verify, alpn }
  const { socket: secured, certificate, peer: tlsPeer, tlsMs } = await connectTls(socket, tlsOptions, attempt.signal)
  timings.tlsMs = Math.round(tlsMs)
  observeCertificate(attempt, certificate, tlsPeer)
  return { socket: secured, peer, timings, close: () => secured.destroy() }
}

function closePlain(socket: Socket): void {
  // After a complete response it is already closing in the order that avoids a reset (see response.ts).
  const isClosing = socket.writableEnded && socket.writableLength === 0
  if (!isClosing) socket.destroy()
}
