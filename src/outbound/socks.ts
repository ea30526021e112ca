import { isIPv4, isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { reason } from '../reasons/reason.ts'
import { ConnectError } from './errors.ts'
import { readBytes } from './read-bytes.ts'

const VERSION = 5
const NO_LOGIN = 0
const LOGIN = 2
const CONNECT = 1
const MAX_REPLY_BYTES = 300

/** The replies of RFC 1928. */
const FAULTS = [
  'socks_failed',
  'socks_failed',
  'socks_rules',
  'socks_no_network',
  'socks_no_host',
  'socks_target_refused',
  'socks_expired',
  'socks_no_connections',
  'socks_address_kind',
] as const

interface Login {
  readonly username: string
  readonly password: string
}

/** Asks a SOCKS5 proxy (RFC 1928, RFC 1929) for a connection to a host. Throws a ConnectError or the signal's reason. */
export async function connectSocks(
  socket: Socket,
  { host, port }: { host: string; port: number },
  login: Login | undefined,
  signal: AbortSignal,
): Promise<void> {
  const read = (countWanted: (bytes: Buffer) => number | undefined) =>
    readBytes(socket, countWanted, MAX_REPLY_BYTES, signal)
  const readExactly = (count: number) => read((bytes) => (bytes.length >= count ? count : undefined))

  const methods = login === undefined ? [NO_LOGIN] : [NO_LOGIN, LOGIN]
  socket.write(Buffer.from([VERSION, methods.length, ...methods]))
  const [version, method] = await readExactly(2)
  if (version !== VERSION) throw new ConnectError('CONNECT', reason('socks_version'))
  if (method === LOGIN && login !== undefined) {
    socket.write(Buffer.concat([Buffer.from([1]), lengthAndBytes(login.username), lengthAndBytes(login.password)]))
    const [, status] = await readExactly(2)
    if (status !== 0) throw new ConnectError('CONNECT', reason('socks_login_refused'))
  } else if (method !== NO_LOGIN) {
    throw new ConnectError('CONNECT', reason(login === undefined ? 'socks_login_required' : 'socks_no_login'))
  }

  const portBytes = Buffer.from([port >> 8, port & 0xff])
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(host), portBytes]))
  const [, status = 1] = await read(replyLength)
  if (status === 0) return
  const known = FAULTS[status]
  throw new ConnectError('CONNECT', known === undefined ? reason('socks_code', { status }) : reason(known))
}

function addressOf(host: string): Buffer {
  if (isIPv4(host) || isIPv6(host)) {
    const bytes = ipaddr.parse(host).toByteArray()
    return Buffer.from([bytes.length === 4 ? 1 : 4, ...bytes])
  }
  return Buffer.concat([Buffer.from([3]), lengthAndBytes(host)])
}

function lengthAndBytes(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length === 0 || bytes.length > 255) throw new ConnectError('CONNECT', reason('socks_name_length'))
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Version, status, a zero, the kind of an address, the address and a port; a failed reply may end after the status. */
function replyLength(bytes: Buffer): number | undefined {
  if (bytes.length >= 2 && bytes[1] !== 0) return bytes.length
  if (bytes.length < 5) return undefined
  const addressBytes = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + (bytes[4] as number)
  const length = 4 + addressBytes + 2
  return bytes.length >= length ? length : undefined
}
