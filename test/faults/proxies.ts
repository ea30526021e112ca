import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { serverAccount } from '../support/postgres-cluster.ts'
import { findProgram } from './needs.ts'
import type { PharosNode } from './pharos-node.ts'
import type { PostgresServer } from './postgres-server.ts'
import { type Child, exitOf, type Site } from './site.ts'

/** HAProxy in front of nodes; it asks `/readyz`. Without retries: a request that it sends to a closed port fails. */
export async function startHaproxy(site: Site, nodes: readonly PharosNode[]): Promise<{ readonly url: string }> {
  const port = await freePort()
  const file = site.path('haproxy.cfg')
  const servers = nodes.map((node, i) => `  server node${i} ${node.address}:${node.port} check`)
  const lines = [
    'defaults',
    '  mode http',
    '  retries 0',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  timeout check 2s',
    'frontend api',
    `  bind 127.0.0.1:${port}`,
    '  default_backend nodes',
    'backend nodes',
    '  balance roundrobin',
    '  option httpchk GET /readyz',
    '  default-server inter 500ms fall 2 rise 1',
    ...servers,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const proxy = site.spawn({ command: findProgram('haproxy') ?? '', args: ['-db', '-f', file] })
  await untilListening(proxy, port)
  return { url: `http://127.0.0.1:${port}` }
}

export interface Pgbouncer {
  /** Like that of the server, through PgBouncer. */
  readonly url: string
  restart(): Promise<void>
}

export async function startPgbouncer(
  site: Site,
  { address, port: serverPort }: PostgresServer,
  mode: 'session' | 'transaction',
): Promise<Pgbouncer> {
  const port = await freePort()
  const file = site.path(`pgbouncer-${port}.ini`)
  const users = site.path(`pgbouncer-${port}.users`)
  writeFileSync(users, '"pharos" ""\n', { mode: 0o644 })
  const lines = [
    '[databases]',
    `* = host=${address} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    `pool_mode = ${mode}`,
    'default_pool_size = 60',
    'max_client_conn = 200',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  // It refuses to run as root, like PostgreSQL.
  const account = serverAccount()
  const [command = '', ...args] = [
    ...(account ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--'] : []),
    findProgram('pgbouncer') ?? '',
    file,
  ]
  const start = async (): Promise<Child> => {
    const child = site.spawn({ command, args })
    await untilListening(child, port)
    return child
  }
  let running = await start()
  return {
    url: `postgres://pharos@127.0.0.1:${port}/pharos`,
    async restart() {
      running.kill('SIGKILL')
      await exitOf(running)
      running = await start()
    },
  }
}

async function untilListening(child: Child, port: number): Promise<void> {
  await eventually(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1', resolve).on('error', () => reject(new Error(child.output.text)))
    await promise.finally(() => socket.destroy())
  }, 15_000)
}
