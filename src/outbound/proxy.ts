import { isIPv6, type Socket } from 'node:net'
import { reason } from '../reasons/reason.ts'
import { connectTcp, type TcpConnection } from './connect.ts'
import { ConnectError, faultOf } from './errors.ts'
import type { Guard } from './guard.ts'
import { httpAnswer } from './http-answer.ts'
import { readBytes } from './read-bytes.ts'
import { connectSocks } from './socks.ts'
import { connectTls } from './tls.ts'
import { hostOf } from './urls.ts'

const MAX_HEAD_BYTES = 16 * 1024
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 }

/**
 * Opens a connection to a proxy (http, https or socks5), which the guard must permit. Calls `onRefused` with an address that did not
 * accept the connection. Throws an OutboundError or the signal's reason.
 */
export async function openProxy(
  proxy: URL,
  guard: Guard,
  signal: AbortSignal,
  onRefused: (address: string) => void,
): Promise<Pick<TcpConnection, 'socket' | 'address'>> {
  try {
    const host = hostOf(proxy)
    const port = proxy.port === '' ? DEFAULT_PORTS[proxy.protocol] : Number(proxy.port)
    if (port === undefined) throw new ConnectError('CONNECT', reason('proxy_protocol', { protocol: proxy.protocol }))
    const { addresses } = await guard.resolve(host, signal)
    const { socket, address } = await connectTcp(addresses, port, signal).catch((error: unknown) => {
      onRefused(addresses[0] as string)
      throw error
    })
    if (proxy.protocol !== 'https:') return { socket, address }
    const options = { host, contexts: guard.tlsContexts, verify: true }
    return { socket: (await connectTls(socket, options, signal)).socket, address }
  } catch (error) {
    throw faultOf('proxy', proxy.host, error)
  }
}

/** Makes an open connection to a proxy one to the target. Destroys it on failure. */
export async function tunnel(
  socket: Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    await (proxy.protocol === 'socks5:' ? connectSocks(socket, target, loginOf(proxy), signal) : connect())
  } catch (error) {
    socket.destroy()
    throw faultOf('proxy', proxy.host, error)
  }

  async function connect(): Promise<void> {
    const authority = `${isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`
    const authorization = proxyAuthorization(proxy)
    const login = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`)
    const head = (await readBytes(socket, headLength, MAX_HEAD_BYTES, signal)).toString('latin1')
    const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1])
    if (status >= 200 && status <= 299) return
    throw new ConnectError('CONNECT', Number.isNaN(status) ? reason('proxy_not_http') : httpAnswer(status))
  }
}

function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  return end < 0 ? undefined : end + 4
}

/** The header with the user name and password of the proxy's URL. */
export function proxyAuthorization(proxy: URL): string | undefined {
  const login = loginOf(proxy)
  return login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
}

function loginOf({ username, password }: URL): { username: string; password: string } | undefined {
  if (username === '') return undefined
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}
