import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../bin/pharos.js')
const START_LIMIT_MS = 120_000

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** A real server as a process of its own, at an address that outlives it. */
export class Node {
  readonly port: number
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | undefined

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.port = port
    this.#env = env
  }

  /** Starts it and waits until it says that it is running. One that loses its database meanwhile is started again. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#startOnce()
      } catch (error) {
        const lost = /EPIPE|ECONNRESET|Connection terminated|terminating connection|not queryable/.test(
          (error as Error).message,
        )
        if (!lost || tries >= 10) throw error
      }
    }
  }

  async #startOnce(): Promise<void> {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, [program, 'start'], {
      env: { PATH, HOME, ...this.#env, PORT: `${this.port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let said = ''
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => reject(new Error(`not running after ${START_LIMIT_MS} ms: ${said}`)), START_LIMIT_MS)
    const listen = (chunk: Buffer): void => {
      said += chunk
      if (said.includes('Pharos is running')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code, signal) => reject(new Error(`ended while starting (${code ?? signal}): ${said}`)))
    child.once('error', reject)
    try {
      await promise
    } finally {
      clearTimeout(late)
    }
  }

  /** Ends it as a power cut would: it gets no chance to say or write anything more. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}
