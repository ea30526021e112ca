import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Server extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Starts a child process and waits for the line with its address. */
export async function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const child = spawn(process.execPath, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await addressFrom(child)
  return {
    url,
    pid: child.pid as number,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

function addressFrom(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
      const url = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(printed)?.[0]
      if (url !== undefined) resolve(url.replace('localhost', '127.0.0.1'))
    })
    child.once('exit', (code) => reject(new Error(`The process ended with ${code} before it listened`)))
  })
}

/** Fastify routes that return fixed bytes: by `GET /path`, the type and the body. */
export function bareServer(folder: string, routes: Readonly<Record<string, readonly [string, string]>>) {
  const file = join(folder, 'bare.json')
  writeFileSync(file, JSON.stringify(routes))
  return startProcess([join(root, 'bench/support/bare.ts'), file])
}

export const KEY = `phr_${'k'.repeat(43)}`

/** The settings for a data folder or a PostgreSQL database. */
export function storageAt(place: string): Readonly<Record<string, string>> {
  return place.startsWith('postgres') ? { DATABASE_URL: place, PHAROS_DATA_DIR: tmpdir() } : { PHAROS_DATA_DIR: place }
}

export function pharos(place: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  return startProcess([join(root, 'bin/pharos.js'), 'start'], {
    PORT: '0',
    ...storageAt(place),
    PHAROS_BOOTSTRAP_KEY: KEY,
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_ROLES: 'api',
    PHAROS_LOG_LEVEL: 'warn',
    ...env,
  })
}

/** Sends a POST to the API that must succeed. */
export async function create(server: Pick<Server, 'url'>, path: string, body: unknown, key = KEY) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

/** Runs an action `count` times, `lanes` at a time, and returns the results in order. */
export async function repeat<T>(count: number, lanes: number, act: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) results[i] = await act(i)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}

const TICK_US = 10_000

/** CPU time of all threads of a process; NaN if the system does not report it (not Linux). */
export function cpuUsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return Number.NaN
  }
}

/** A kind of memory of a process in megabytes, such as VmRSS, or VmHWM for the largest VmRSS; NaN if it has ended. */
export function megabytesOf(pid: number, kind: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return (Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1.024) / 1000
  } catch {
    return Number.NaN
  }
}
