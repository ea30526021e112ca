import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = join(import.meta.dirname, '../../dist/pharos/bin/pharos.js')
const START_LIMIT_MS = 120_000
/** With the limits given, the launcher does not start Node a second time to set them. More room for new objects means less work. */
const START_OPTIONS = '--max-old-space-size=640 --max-semi-space-size=32'

/** A server in a process of its own, always on the same port. */
export class Node {
  readonly port: number
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | undefined

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.port = port
    this.#env = env
  }

  /** Starts it and waits until it runs. Tries again if it loses its database connection meanwhile. */
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
      env: { PATH, HOME, NODE_OPTIONS: START_OPTIONS, ...this.#env, PORT: `${this.port}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    let output = ''
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(
      () => reject(new Error(`not running after ${START_LIMIT_MS} ms: ${output}`)),
      START_LIMIT_MS,
    )
    const listen = (chunk: Buffer): void => {
      output += chunk
      if (output.includes('Pharos is running')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code, signal) => reject(new Error(`ended while starting (${code ?? signal}): ${output}`)))
    child.once('error', reject)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Kills it with SIGKILL. */
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
