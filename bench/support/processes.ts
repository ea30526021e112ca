import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

export interface Server extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Starts a child process and waits for the line with its address. */
export async function startProcess(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Server> {
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

export function bareServer(one: string, list: string): Promise<Server> {
  const encoded = [one, list].map((text) => Buffer.from(text).toString('base64'))
  return startProcess([join(root, 'bench/support/bare.ts'), ...encoded], {})
}

export const KEY = `phr_${'k'.repeat(43)}`

export function pharos(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Server> {
  return startProcess([join(root, 'bin/pharos.js'), 'start'], {
    PORT: '0',
    PHAROS_DATA_DIR: dataDir,
    PHAROS_BOOTSTRAP_KEY: KEY,
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_ROLES: 'api',
    PHAROS_LOG_LEVEL: 'warn',
    ...env,
  })
}

const TICK_US = 10_000

/** CPU time of all threads of a process; null if the system does not report it (not Linux). */
export function cpuUsOf(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * TICK_US
  } catch {
    return null
  }
}
