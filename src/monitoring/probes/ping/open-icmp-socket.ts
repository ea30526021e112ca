import dgram from 'node:dgram'
import { getSystemErrorName } from 'node:util'
import { type Family, wantedTypes } from './icmp-packet.ts'

export type IcmpKind = 'datagram' | 'raw'

/**
 * Opens a socket that speaks ICMP, which Node itself cannot. `node:ffi` asks the C library for one; from there on it
 * is one of Node's own UDP sockets, and nothing foreign is called per ping. Throws a sentence that says why not.
 */
export function openIcmpSocket(kind: IcmpKind, family: Family): dgram.Socket {
  libc ??= loadLibc()
  const socket = dgram.createSocket({ type: family === 4 ? 'udp4' : 'udp6', lookup: literally })
  try {
    if (kind === 'datagram') openDatagram(libc, socket, family)
    else openRaw(libc, socket, family)
  } catch (error) {
    socket.close()
    throw error
  }
  return socket
}

let libc: Libc | undefined

interface Libc {
  socket(family: number, type: number, protocol: number): number
  setsockopt(fd: number, level: number, option: number, value: Buffer, size: number): number
  dup3(from: number, to: number, flags: number): number
  close(fd: number): number
  /** What the last call met, as in EACCES. */
  errorName(): string
}

// Addresses come out of the guard: there is nothing to look up.
const literally = ((host: string, family: number, done: (error: null, address: string, family: number) => void) =>
  done(null, host, family)) as NonNullable<dgram.SocketOptions['lookup']>

const isLinux = process.platform === 'linux'
const AF_INET = 2
const AF_INET6 = isLinux ? 10 : 30
const SOCK_DGRAM = 2
const SOCK_RAW = 3
/** Not for children. macOS has no such flag, and there Node lets children inherit nothing anyway. */
const CLOEXEC = isLinux ? 0o2000000 : 0
/** Node sets this on the sockets it takes over; on the one that slips in, nobody would. */
const NONBLOCK = 0o4000
const IPPROTO_ICMP = 1
const IPPROTO_ICMPV6 = 58
const SOL_RAW = 255
const ICMP_FILTER = 1

function openDatagram(libc: Libc, socket: dgram.Socket, family: Family): void {
  adopt(libc, socket, openSocket(libc, family, SOCK_DGRAM, protocolOf(family)))
}

/**
 * Node takes over datagram sockets only. So it gets a plain UDP socket, and before the event loop has looked at that,
 * the raw one slips into its place under the same number.
 */
function openRaw(libc: Libc, socket: dgram.Socket, family: Family): void {
  if (!isLinux) throw new Error('raw sockets are for Linux')
  const raw = openSocket(libc, family, SOCK_RAW | NONBLOCK, protocolOf(family))
  try {
    const filter = filterOf(family)
    const level = family === 4 ? SOL_RAW : IPPROTO_ICMPV6
    if (libc.setsockopt(raw, level, ICMP_FILTER, filter, filter.length) !== 0) throw new Error(libc.errorName())
    const fd = openSocket(libc, family, SOCK_DGRAM, 0)
    adopt(libc, socket, fd)
    if (libc.dup3(raw, fd, CLOEXEC) !== fd) throw new Error(libc.errorName())
  } finally {
    libc.close(raw)
  }
}

function openSocket(libc: Libc, family: Family, type: number, protocol: number): number {
  const fd = libc.socket(family === 4 ? AF_INET : AF_INET6, type | CLOEXEC, protocol)
  if (fd < 0) throw new Error(libc.errorName())
  return fd
}

function adopt(libc: Libc, socket: dgram.Socket, fd: number): void {
  try {
    socket.bind({ fd, exclusive: true })
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

const protocolOf = (family: Family) => (family === 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6)

/** A raw socket would get all ICMP of the machine; a set bit keeps a type out. */
function filterOf(family: Family): Buffer {
  const words = new Uint32Array(family === 4 ? 1 : 8).fill(0xffffffff)
  for (const type of wantedTypes(family)) words[type >> 5] = (words[type >> 5] as number) & ~(1 << (type & 31))
  return Buffer.from(words.buffer)
}

function loadLibc(): Libc {
  if (process.platform !== 'linux' && process.platform !== 'darwin') throw new Error('there are none on this system')
  const ffi = loadFfi()
  const int = 'int32'
  const library = new ffi.DynamicLibrary(null)
  const errno = library.getFunction(isLinux ? '__errno_location' : '__error', { arguments: [], return: 'pointer' })
  return {
    socket: library.getFunction('socket', { arguments: [int, int, int], return: int }),
    setsockopt: library.getFunction('setsockopt', { arguments: [int, int, int, 'buffer', 'uint32'], return: int }),
    dup3: isLinux ? library.getFunction('dup3', { arguments: [int, int, int], return: int }) : () => -1,
    close: library.getFunction('close', { arguments: [int], return: int }),
    errorName: () => getSystemErrorName(-ffi.getInt32(errno())),
  }
}

/** Experimental, and absent from some builds; its warning is for those who develop, not for those who operate. */
function loadFfi(): typeof import('node:ffi') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const ffi = process.getBuiltinModule('node:ffi') as typeof import('node:ffi') | undefined
    if (ffi === undefined) throw new Error(`Node ${process.versions.node} has no node:ffi`)
    return ffi
  } finally {
    process.emitWarning = emitWarning
  }
}
