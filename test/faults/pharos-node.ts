import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/ports.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../support/server.ts'
import type { Host } from './network.ts'
import { type Child, exitOf, hasExited, type Site } from './site.ts'

const program = join(import.meta.dirname, '../../dist/pharos/bin/pharos.js')
const nextProgram = join(import.meta.dirname, '../support/next-version.ts')
/** Kept between runs: the next version runs from its sources, which take seconds to compile. */
const compileCache = join(import.meta.dirname, '../../node_modules/.cache/compiled-sources')
const START_LIMIT_MS = 90_000

export interface NodeOptions {
  readonly databaseUrl?: string
  readonly host?: Host
  readonly env?: Readonly<Record<string, string>>
}

/** A node of Pharos in a process of its own, always on the same address. */
export class PharosNode {
  readonly url: string
  readonly address: string
  readonly port: number
  readonly #site: Site
  readonly #options: NodeOptions
  readonly #dataDir: string
  #process: Child | undefined

  private constructor(site: Site, options: NodeOptions, port: number) {
    this.#site = site
    this.#options = options
    this.address = options.host?.address ?? '127.0.0.1'
    this.port = port
    this.url = `http://${this.address}:${port}`
    this.#dataDir = site.path(`node-${this.address}-${port}`)
  }

  static async create(site: Site, options: NodeOptions = {}): Promise<PharosNode> {
    return new PharosNode(site, options, await freePort())
  }

  static async start(site: Site, options: NodeOptions = {}): Promise<PharosNode> {
    const node = await PharosNode.create(site, options)
    await node.start()
    return node
  }

  get client(): Client {
    return clientOf(this.url, { 'x-api-key': BOOTSTRAP_KEY })
  }

  /** What it printed lately. */
  get output(): string {
    return this.#process?.output.text ?? ''
  }

  get pid(): number {
    if (this.#process === undefined) throw new Error('The node does not run.')
    return this.#process.pid
  }

  /** Starts it and waits until it is ready. */
  async start(version: 'this' | 'next' = 'this'): Promise<void> {
    const child = version === 'this' ? this.launch('start') : this.#launch(nextProgram)
    this.#process = child
    const giveUpAt = performance.now() + START_LIMIT_MS
    while (!child.output.text.includes('Pharos is running')) {
      if (hasExited(child) || performance.now() > giveUpAt) {
        throw new Error(`The node did not start (${child.exitCode ?? child.signalCode}): ${child.output.text}`)
      }
      await delay(20)
    }
  }

  /** Runs a command of Pharos with the configuration of this node. */
  launch(...args: readonly string[]): Child {
    return this.#launch(program, ...args)
  }

  #launch(file: string, ...args: readonly string[]): Child {
    const { host, databaseUrl, env } = this.#options
    const [command = '', ...rest] = [...(host?.prefix ?? []), process.execPath, file, ...args]
    return this.#site.spawn({
      command,
      args: rest,
      env: {
        HOST: this.address,
        PORT: `${this.port}`,
        PHAROS_DATA_DIR: this.#dataDir,
        PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
        PHAROS_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
        PHAROS_RATE_LIMIT: '1000000000',
        PHAROS_BASE_URL: 'http://pharos.test',
        PHAROS_LOG_LEVEL: 'warn',
        NODE_COMPILE_CACHE: compileCache,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        ...env,
      },
    })
  }

  /** What `pharos doctor` reports. */
  async doctor(): Promise<{ readonly code: unknown; readonly text: string }> {
    const child = this.launch('doctor')
    return { code: await exitOf(child), text: child.output.text }
  }

  freeze(): void {
    process.kill(this.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it as a service manager does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** Answers null if there is no answer within the limit. */
  async ready(limitMs = 10_000): Promise<Readiness> {
    const askedAt = performance.now()
    try {
      const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(limitMs) })
      const body = await response.text()
      return { status: response.status, body, tookMs: performance.now() - askedAt }
    } catch (error) {
      return { status: null, body: (error as Error).message, tookMs: performance.now() - askedAt }
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    if (child === undefined || hasExited(child)) return
    child.kill(signal)
    await exitOf(child)
  }
}

export interface Readiness {
  readonly status: number | null
  readonly body: string
  readonly tookMs: number
}
