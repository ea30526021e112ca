import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { findServerPrograms, serverAccount } from '../support/postgres-cluster.ts'
import type { Host } from './network.ts'
import { type Child, exitOf, hasExited, type Site } from './site.ts'

const START_LIMIT_MS = 60_000

export interface ServerOptions {
  /** The machine that it runs on; by default the one of the tests. */
  readonly host?: Host
  /** The address that it listens on; by default that of the host, or loopback. */
  readonly address?: string
  /** The folder of its data, by default a new one of the site. It must not exist, or be empty. */
  readonly folder?: string
  /** Where the write-ahead log lies, by default within the data. */
  readonly logFolder?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** The same as in the other tests: a crash of the operating system is not tested. */
const baseSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '100',
  shared_buffers: '32MB',
  dynamic_shared_memory_type: 'mmap',
}

/** A PostgreSQL server of a test's own, which the test stops, freezes, kills and promotes. */
export class PostgresServer {
  readonly address: string
  readonly port: number
  readonly folder: string
  readonly #site: Site
  readonly #options: ServerOptions
  readonly #bin: string
  #process: Child | undefined

  private constructor(site: Site, options: ServerOptions, port: number) {
    const programs = findServerPrograms()
    if (programs === null) throw new Error('PostgreSQL was not found.')
    this.#site = site
    this.#options = options
    this.#bin = programs
    this.address = options.address ?? options.host?.address ?? '127.0.0.1'
    this.port = port
    this.folder = options.folder ?? site.path(`pg${port}`)
  }

  /** Creates and starts a server with an empty database `pharos`. */
  static async start(site: Site, options: ServerOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(site, options, await freePort())
    const { logFolder } = options
    await server.#program('initdb', [
      ...['-D', server.#ownFolder(server.folder), '-U', 'pharos', '--auth=trust', '--encoding=UTF8', '--locale=C'],
      ...['--no-sync', '--no-instructions', '--wal-segsize=1'],
      ...(logFolder === undefined ? [] : ['--waldir', server.#ownFolder(logFolder)]),
    ])
    const rules = ['local all all trust', 'host all all all trust', 'host replication all all trust']
    writeFileSync(`${server.folder}/pg_hba.conf`, `${rules.join('\n')}\n`)
    await server.start()
    await server.query('create database pharos', 'postgres')
    return server
  }

  /** A copy of this server that follows it. */
  async addStandby(options: ServerOptions = {}): Promise<PostgresServer> {
    const standby = new PostgresServer(this.#site, options, await freePort())
    await standby.#program('pg_basebackup', [
      ...['-h', this.address, '-p', `${this.port}`, '-U', 'pharos', '-D', standby.#ownFolder(standby.folder)],
      ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '--wal-method=stream'],
    ])
    await standby.start()
    return standby
  }

  url(database = 'pharos'): string {
    return `postgres://pharos@${this.address}:${this.port}/${database}`
  }

  /** Starts it and waits until it takes connections. */
  async start(): Promise<void> {
    const giveUpAt = performance.now() + START_LIMIT_MS
    // After a kill the next one cannot start before the last process of the old one has ended.
    while (!(await this.#startOnce(giveUpAt))) {
      if (performance.now() > giveUpAt) throw new Error(`PostgreSQL does not start: ${this.#process?.output.text}`)
      await delay(50)
    }
  }

  async #startOnce(giveUpAt: number): Promise<boolean> {
    const settings = {
      ...baseSettings,
      ...this.#options.settings,
      listen_addresses: this.address,
      port: `${this.port}`,
      unix_socket_directories: this.#site.folder,
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    // Without it, a file of the previous process says "ready".
    rmSync(`${this.folder}/postmaster.pid`, { force: true })
    const server = this.#spawn('postgres', ['-D', this.folder, ...args])
    this.#process = server
    this.#site.atEnd(`end_postgres ${this.folder}`)
    while (!hasExited(server) && performance.now() < giveUpAt) {
      if (/^(ready|standby)/m.test(this.#pidFile())) return true
      await delay(20)
    }
    return false
  }

  /** `fast` disconnects everybody, `immediate` also leaves out the checkpoint. */
  async stop(mode: 'fast' | 'immediate'): Promise<void> {
    const server = this.#running()
    server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await exitOf(server)
  }

  /** Kills all of its processes at once, as a power cut does. */
  async kill(): Promise<void> {
    const server = this.#running()
    this.#signalAll('SIGKILL')
    await exitOf(server)
  }

  /** From now on it answers nothing, and closes nothing. */
  freeze(): void {
    this.#signalAll('SIGSTOP')
  }

  thaw(): void {
    this.#signalAll('SIGCONT')
  }

  /** Makes it read-only: a standby without a primary. */
  async demote(): Promise<void> {
    await this.stop('fast')
    writeFileSync(`${this.folder}/standby.signal`, '')
    await this.start()
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)', 'postgres')
  }

  async query(sql: string, database = 'pharos'): Promise<Record<string, unknown>[]> {
    return queryAt(this.url(database), sql)
  }

  /** From now on a commit waits for a standby. Returns when there is one. */
  async makeSynchronous(): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '*'`, 'postgres')
    await this.query('select pg_reload_conf()', 'postgres')
    await eventually(async () => {
      const rows = await this.query(`select 1 from pg_stat_replication where sync_state in ('sync', 'quorum')`)
      if (rows.length === 0) throw new Error('There is no synchronous standby.')
    })
  }

  /** The postmaster first: stopped, it starts no more of the others. */
  #signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.#running()
    process.kill(pid, signal)
    for (const child of childrenOf(pid)) killIfAlive(child, signal)
  }

  #running(): Child {
    if (this.#process === undefined || hasExited(this.#process)) throw new Error('PostgreSQL does not run.')
    return this.#process
  }

  #pidFile(): string {
    const file = `${this.folder}/postmaster.pid`
    try {
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    } catch {
      return '' // It has just been removed.
    }
  }

  async #program(name: string, args: readonly string[]): Promise<void> {
    const child = this.#spawn(name, args)
    const code = await exitOf(child)
    if (code !== 0) throw new Error(`${name} failed (${code}): ${child.output.text}`)
  }

  /** PostgreSQL refuses to run as root. */
  #spawn(name: string, args: readonly string[]): Child {
    const account = serverAccount()
    const asAccount = account
      ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--']
      : []
    const [command = '', ...rest] = [
      ...(this.#options.host?.prefix ?? []),
      ...asAccount,
      `${this.#bin}/${name}`,
      ...args,
    ]
    return this.#site.spawn({ command, args: rest })
  }

  #ownFolder(path: string): string {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const account = serverAccount()
    if (account) for (const folder of [path, this.#site.folder]) chownSync(folder, account.uid, account.gid)
    return path
  }
}

async function queryAt(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A server that ends also ends this connection.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function killIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
