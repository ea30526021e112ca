import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { isIP } from 'node:net'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import type { Echoer, EchoResult } from './echo.ts'
import type { Family } from './icmp-packet.ts'
import { failedEcho, unreachableError } from './socket-echo.ts'

/** Each silent ping holds a process until its check is over; a machine bears only so many. */
const MAX_PROCESSES = 96
const MAX_OUTPUT_CHARS = 4096
const WINDOWS_PATIENCE_MS = 60_000

const POSIX_PLACES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/wrappers/bin']

/** Where the system keeps its `ping`, or null. The PATH is not asked: it may lead to somebody else's. */
export function findPingCommand(family: Family): string | null {
  const name = process.platform === 'darwin' && family === 6 ? 'ping6' : 'ping'
  const places = POSIX_PLACES.map((folder) => `${folder}/${name}`)
  return (process.platform === 'win32' ? ['C:\\Windows\\System32\\PING.EXE'] : places).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A process per ping: a hundred times dearer than a socket, but the system's `ping` may be let where we are not. */
export function echoByCommand(command: string): Echoer {
  const running = new Set<() => void>()
  return {
    ping(address) {
      // Only a literal address ever becomes an argument: it cannot be taken for an option or a name.
      if (isIP(address) === 0) return failedEcho(`"${address}" is not an address`)
      if (running.size >= MAX_PROCESSES) return failedEcho('Too many ping processes are running')
      const { settled, cancel } = run(command, address)
      running.add(cancel)
      settled.then(() => running.delete(cancel))
      return { settled, cancel, isCostly: true }
    },
    close() {
      for (const cancel of running) cancel()
    },
  }
}

function run(command: string, address: string): { settled: Promise<EchoResult>; cancel: () => void } {
  const { promise, resolve } = Promise.withResolvers<EchoResult>()
  const isWindows = process.platform === 'win32'
  const args = isWindows ? ['-n', '1', '-w', String(WINDOWS_PATIENCE_MS), address] : ['-c', '1', address]
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    ...(!isWindows && { env: { LC_ALL: 'C' } }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    if (stdout.length < MAX_OUTPUT_CHARS) stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    if (stderr.length < MAX_OUTPUT_CHARS) stderr += chunk
  })
  child.on('error', (cause) => {
    const error = new ConnectError('CONNECT', `${command} could not be started (${codeOf(cause)})`, {
      isLocalFault: true,
      cause,
    })
    resolve({ got: 'fault', error })
  })
  child.on('close', (code) => resolve(readPingOutput({ code, stdout, stderr }, address)))
  return {
    settled: promise,
    cancel() {
      resolve({ got: 'silence' })
      child.kill('SIGKILL')
    },
  }
}

export interface PingOutput {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Understands the `ping` of iputils, BusyBox, macOS and Windows, the latter in any language. */
export function readPingOutput({ code, stdout, stderr }: PingOutput, address: string): EchoResult {
  // Windows also ends with 0 when a router has answered that nobody is there: only a time proves a reply.
  const time = /[=<](\d+(?:[.,]\d+)?)\s?(?:ms|мс)/.exec(stdout)?.[1]
  if (code === 0 && time !== undefined) return { got: 'reply', rttMs: Number(time.replace(',', '.')) }
  const complaint = stderr.trim().split('\n')[0] ?? ''
  if (complaint !== '') {
    const sentence = `${address} could not be pinged (${complaint.slice(0, 200)})`
    return { got: 'fault', error: new ConnectError('CONNECT', sentence, { isLocalFault: true }) }
  }
  if (/unreachable/i.test(stdout)) return { got: 'refusal', error: unreachableError(address, 'host unreachable') }
  return { got: 'silence' }
}
