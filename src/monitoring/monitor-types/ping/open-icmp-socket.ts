import dgram from 'node:dgram'
import { getSystemErrorName } from 'node:util'
import { type Family, wantedTypes } from './icmp-packet.ts'

export type IcmpKind = 'datagram' | 'raw'

/**
 * Opens an ICMP socket, which Node cannot do by itself. `node:ffi` calls the C library to create it; Node then uses it as
 * one of its UDP sockets, so no foreign call is made per ping. Throws an error that says why it is not possible.
 */
export function openIcmpSocket(kind: IcmpKind, family: Family): dgram.Socket {
  libc ??= loadLibc()
  const socket = dgram.createSocket({ type: family === 4 ? 'udp4' : 'udp6', lookup: skipLookup })
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
  /** The errno of the last call, such as EACCES. */
  errorName(): string
}

// The addresses come from the guard, so there is no name to resolve.
const skipLookup = ((host: string, family: number, done: (error: null, address: string, family: number) => void) =>
  done(null, host, family)) as NonNullable<dgram.SocketOptions['lookup']>

const isLinux = process.platform === 'linux'
const AF_INET = 2
const AF_INET6 = isLinux ? 10 : 30
const SOCK_DGRAM = 2
const SOCK_RAW = 3
/** Not inherited by child processes. macOS has no such flag, but Node closes descriptors in children there. */
const CLOEXEC = isLinux ? 0o2000000 : 0
/** Node sets this on the sockets that it adopts, but not on the raw socket that replaces one (openRaw). */
const NONBLOCK = 0o4000
const IPPROTO_ICMP = 1
const IPPROTO_ICMPV6 = 58
const SOL_RAW = 255
const ICMP_FILTER = 1

function openDatagram(libc: Libc, socket: dgram.Socket, family: Family): void {
  adopt(libc, socket, openSocket(libc, family, SOCK_DGRAM, protocolOf(family)))
}

/**
 * Node adopts datagram sockets only. So it gets a plain UDP socket, and before the event loop polls it, dup3 replaces it by
 * the raw socket under the same descriptor.
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

/** A raw socket receives all ICMP messages of the machine; each set bit filters out one type. */
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

/** node:ffi is experimental and missing in some builds. Its warning would only confuse operators, so it is suppressed. */
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
