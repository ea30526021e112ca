import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { isIP } from 'node:net'
import { ConnectError, codeOf } from '../../../outbound/errors.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import type { Echoer, EchoResult } from './echo.ts'
import type { Family } from './icmp-packet.ts'
import { failedEcho, unreachableError } from './socket-echo.ts'

/** A ping without a reply keeps its process until the check ends. */
const MAX_PROCESSES = 96
const MAX_OUTPUT_CHARS = 4096
const WINDOWS_TIMEOUT_MS = 60_000

const POSIX_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/wrappers/bin']

/** The system's `ping`, or null. PATH is not used: it may contain another program of that name. */
export function findPingCommand(family: Family): string | null {
  const name = process.platform === 'darwin' && family === 6 ? 'ping6' : 'ping'
  const paths = POSIX_FOLDERS.map((folder) => `${folder}/${name}`)
  return (process.platform === 'win32' ? ['C:\\Windows\\System32\\PING.EXE'] : paths).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** For operators: what lets this process ping. */
export function howToAllowPing(): Reason {
  const group = process.getgid?.()
  return process.platform === 'linux' ? reason('ping_allow_linux', { group: String(group) }) : reason('ping_allow')
}

function withRemedy(cause: Reason, isForbidden: boolean): Reason {
  return isForbidden ? reason('ping_forbidden', { cause, remedy: howToAllowPing() }) : cause
}

/** Starts a process per ping: a hundred times the cost of a socket, but the system's `ping` may have rights that we lack. */
export function echoByCommand(command: string): Echoer {
  const running = new Set<() => void>()
  return {
    ping(address) {
      // Only literal addresses become arguments, so none can be taken for an option or a name.
      if (isIP(address) === 0) return failedEcho(reason('ping_not_an_address', { text: address }))
      if (running.size >= MAX_PROCESSES) return failedEcho(reason('too_many_ping_processes'))
      const { settled, cancel } = run(command, address)
      running.add(cancel)
      void settled.then(() => running.delete(cancel))
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
  const args = isWindows ? ['-n', '1', '-w', String(WINDOWS_TIMEOUT_MS), address] : ['-c', '1', address]
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
    const code = codeOf(cause)
    // The file may have a capability that this process is not allowed to get.
    const failed = reason('ping_not_started', { command, error: code })
    const error = new ConnectError('CONNECT', withRemedy(failed, code === 'EPERM' || code === 'EACCES'), {
      isLocalFault: true,
      cause,
    })
    resolve({ outcome: 'not sent', error })
  })
  child.on('close', (code) => resolve(readPingOutput({ code, stdout, stderr }, address)))
  return {
    settled: promise,
    cancel() {
      resolve({ outcome: 'no reply' })
      child.kill('SIGKILL')
    },
  }
}

export interface PingOutput {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Parses the output of iputils, BusyBox, macOS and Windows, the latter in any language. */
export function readPingOutput({ code, stdout, stderr }: PingOutput, address: string): EchoResult {
  // Windows exits with 0 even when a router reported an unreachable host: only a time proves a reply.
  const time = /[=<](\d+(?:[.,]\d+)?)\s?(?:ms|мс)/.exec(stdout)?.[1]
  if (code === 0 && time !== undefined) return { outcome: 'reply', rttMs: Number(time.replace(',', '.')) }
  const complaint = stderr.trim().split('\n')[0] ?? ''
  if (complaint !== '') {
    const failed = reason('ping_not_sent', { address, error: complaint.slice(0, 200) })
    const why = withRemedy(failed, /not permitted|permission denied/i.test(complaint))
    return { outcome: 'not sent', error: new ConnectError('CONNECT', why, { isLocalFault: true }) }
  }
  if (/unreachable/i.test(stdout))
    return { outcome: 'unreachable', error: unreachableError(address, 'ping_host_unreachable') }
  return { outcome: 'no reply' }
}
