import dgram from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { socketError } from '../../../../outbound/errors.ts'
import { connectTls } from '../../../../outbound/tls.ts'
import { type Attempt, connect, observeCertificate } from '../../attempt.ts'
import type { NetworkTools } from '../../definition.ts'

/** The other side of a dialogue. Its events go to a listener, one at a time. */
export interface Peer extends Disposable {
  send(bytes: Buffer): void
  /** Not for UDP. What was received before is not part of the secured connection. */
  startTls(): Promise<void>
}

export interface PeerListener {
  received(bytes: Buffer): void
  /** Without an error if the peer closed the connection. */
  ended(error?: Error): void
}

export interface Endpoint {
  readonly host: string
  readonly port: number
  readonly verifySsl: boolean
  /** The name that is sent and that the certificate must have. */
  readonly serverName: string
}

export async function connectStream(
  { host, port, verifySsl, serverName }: Endpoint,
  attempt: Attempt,
  { guard }: NetworkTools,
  listener: PeerListener,
): Promise<Peer> {
  const { socket: plain, address, timings } = await connect(attempt, host, port, guard)
  let socket: Socket = plain
  const receive = (bytes: Buffer): void => listener.received(bytes)
  const end = (): void => listener.ended()
  const fail = (error: Error): void => listener.ended(socketError(error, address, port))
  const listen = (): void => {
    socket.on('data', receive).on('end', end).on('error', fail)
  }
  listen()
  return {
    send: (bytes) => void socket.write(bytes),
    async startTls() {
      socket.off('data', receive).off('end', end).off('error', fail).pause()
      attempt.stage = 'tls'
      const options = { host: serverName, contexts: guard.tlsContexts, verify: verifySsl }
      const secured = await connectTls(socket, options, attempt.signal)
      timings.tlsMs = Math.round(secured.tlsMs)
      observeCertificate(attempt, secured.certificate, secured.peer)
      socket = secured.socket
      listen()
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

/** A connected socket: only the target's datagrams arrive, and its host reports a closed port. */
export async function connectDatagrams(
  { host, port }: Endpoint,
  attempt: Attempt,
  { guard }: NetworkTools,
  listener: PeerListener,
): Promise<Peer> {
  attempt.host = host
  const { addresses, dnsMs } = await guard.resolve(host, attempt.signal)
  if (dnsMs !== undefined) attempt.observed.timings = { dnsMs: Math.round(dnsMs) }
  const [address = ''] = addresses
  attempt.observed.triedIp = address
  const socket = dgram.createSocket(address.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.connect(port, address)
    await once(socket, 'connect')
  } catch (error) {
    socket.close()
    throw socketError(error, address, port)
  }
  socket.on('message', (bytes) => {
    attempt.observed.ip = address
    listener.received(bytes)
  })
  socket.on('error', (error) => listener.ended(socketError(error, address, port)))
  return {
    send: (bytes) => socket.send(bytes),
    startTls: () => Promise.reject(new Error('UDP has no TLS')),
    [Symbol.dispose]: () => socket.close(),
  }
}
