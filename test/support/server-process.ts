import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mallocEnvironment, memoryLimits } from '../../bin/memory-limits.js'
import { BOOTSTRAP_KEY } from './server.ts'

/** Given its memory limits, it need not start itself again with them. */
const program = join(import.meta.dirname, '../../dist/pharos/bin/pharos.js')

/** A server in a process of its own, which tests can kill. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Kills it with SIGKILL and waits for its end. */
  kill(): Promise<void>
}

/** Runs "pharos start" and waits until it prints its address. The error has its output if it does not. */
export async function startProcess(env: Readonly<Record<string, string>>, timeoutMs = 120_000): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...memoryLimits, program, 'start'], {
    env: {
      ...mallocEnvironment,
      PATH: process.env.PATH ?? '',
      PORT: '0',
      PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
      PHAROS_RATE_LIMIT: '1000000',
      PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PHAROS_CONFIRM_DELAYS: '',
      PHAROS_DRAIN_SECONDS: '0',
      PHAROS_LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  try {
    return { url: await addressOf(child, timeoutMs), pid: child.pid as number, kill, [Symbol.asyncDispose]: kill }
  } catch (error) {
    await kill()
    throw error
  }
}

function addressOf(child: ChildProcess, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (what: string): void => reject(new Error(`The server ${what}; its output:\n${output}`))
    const timer = setTimeout(() => fail(`did not start within ${timeoutMs} ms`), timeoutMs)
    child.once('exit', () => fail('ended'))
    const listen = (chunk: Buffer): void => {
      output += chunk
      const address = /Address +(http:\/\/\S+)/.exec(output)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
  })
}
