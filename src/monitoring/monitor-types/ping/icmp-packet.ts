/** Encodes ICMP echo requests and parses the replies. No I/O. */

export type Family = 4 | 6

/** Random bytes in each request, which only its receiver can send back. */
export const TOKEN_BYTES = 16

// 64 bytes in all, as most ping commands send, so that firewalls treat them alike.
const HEADER_BYTES = 8
const REQUEST_BYTES = 64

const REQUEST = { 4: 8, 6: 128 } as const
const REPLY = { 4: 0, 6: 129 } as const
const UNREACHABLE = { 4: 3, 6: 1 } as const
const TIME_EXCEEDED = { 4: 11, 6: 3 } as const

/** The ICMP types that are received. */
export const wantedTypes = (family: Family) => [REPLY[family], UNREACHABLE[family], TIME_EXCEEDED[family]]

export interface Request {
  readonly id: number
  readonly sequence: number
  readonly token: Buffer
}

/** Why a host cannot be reached: a code of reasons. */
export type Unreachable =
  | 'ping_host_unreachable'
  | 'ping_network_unreachable'
  | 'ping_blocked'
  | 'ping_expired'
  | 'ping_broadcast'
  | 'ping_bad_address'

export type Message =
  | ({ readonly kind: 'reply' } & Request)
  /** A router reports that the request did not arrive. It may quote the request only in part. */
  | { readonly kind: 'unreachable'; readonly reason: Unreachable; readonly to: string | null; readonly quoted: Request }

export function encodeRequest(family: Family, { id, sequence, token }: Request): Buffer {
  const bytes = Buffer.alloc(REQUEST_BYTES)
  bytes[0] = REQUEST[family]
  bytes.writeUInt16BE(id, 4)
  bytes.writeUInt16BE(sequence, 6)
  token.copy(bytes, HEADER_BYTES)
  // For IPv6 the kernel sets the checksum, which covers the addresses too.
  if (family === 4) bytes.writeUInt16BE(checksum(bytes), 2)
  return bytes
}

/** Parses what an ICMP socket received; null for messages of other types. */
export function parseMessage(family: Family, received: Buffer): Message | null {
  const bytes = family === 4 ? withoutIpv4Header(received) : received
  if (bytes.length < HEADER_BYTES) return null
  const type = bytes[0] as number
  if (type === REPLY[family]) return { kind: 'reply', ...parseRequest(bytes) }
  const reason = unreachableReason(family, type, bytes[1] as number)
  return reason === null ? null : parseUnreachable(family, reason, bytes.subarray(HEADER_BYTES))
}

function parseRequest(bytes: Buffer): Request {
  return {
    id: bytes.readUInt16BE(4),
    sequence: bytes.readUInt16BE(6),
    token: bytes.subarray(HEADER_BYTES, HEADER_BYTES + TOKEN_BYTES),
  }
}

function parseUnreachable(family: Family, reason: Unreachable, packet: Buffer): Message | null {
  const request = family === 4 ? withoutIpv4Header(packet) : packet.subarray(40)
  if (request.length < HEADER_BYTES || request[0] !== REQUEST[family]) return null
  const to = family === 4 ? packet.subarray(16, 20).join('.') : null
  return { kind: 'unreachable', reason, to, quoted: parseRequest(request) }
}

// Raw sockets, and datagram sockets on macOS, include the IPv4 header. No ICMP type used here begins with a 4.
function withoutIpv4Header(bytes: Buffer): Buffer {
  const first = bytes[0] ?? 0
  return first >> 4 === 4 ? bytes.subarray((first & 0x0f) * 4) : bytes
}

function unreachableReason(family: Family, type: number, code: number): Unreachable | null {
  if (type === TIME_EXCEEDED[family]) return 'ping_expired'
  if (type !== UNREACHABLE[family]) return null
  return (family === 4 ? ipv4Reason : ipv6Reason)(code)
}

function ipv4Reason(code: number): Unreachable | null {
  // Code 4 asks for smaller packets; ours are always small enough.
  if (code === 4) return null
  if (code === 0 || code === 6 || code === 11) return 'ping_network_unreachable'
  if (code === 9 || code === 10 || code === 13) return 'ping_blocked'
  return 'ping_host_unreachable'
}

function ipv6Reason(code: number): Unreachable {
  if (code === 0) return 'ping_network_unreachable'
  if (code === 1 || code === 5 || code === 6) return 'ping_blocked'
  return 'ping_host_unreachable'
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i += 2) sum += bytes.readUInt16BE(i)
  sum = (sum & 0xffff) + (sum >>> 16)
  return ~(sum + (sum >>> 16)) & 0xffff
}
