import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, constants, globSync, lstatSync, readFileSync, realpathSync, statfsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Not the system's temporary folder: a socket's path has 107 bytes at most, and the account that replaces root must reach it.
 * Memory first: copying a database takes a tenth of the CPU time there.
 */
const homePatterns = ['/dev/shm/pharos-pg-', '/tmp/pharos-pg-'] as const
/** A run with three workers takes less than half of it. */
const MEMORY_BYTES_NEEDED = 3_000_000_000

/**
 * One shell creates the cluster, starts it, and waits at its standard input, which the test run holds open and never
 * writes to. However the run ends (done, interrupted, killed, out of memory), the kernel closes that pipe, and the
 * shell stops the cluster and removes it. It leads a session of its own, so Ctrl-C at the terminal does not reach it.
 *
 * In tests `fsync` and `full_page_writes` are off: they protect against a crash of the operating system. Crash tests kill
 * Pharos, or at most PostgreSQL itself, and what a dead process had written is still in the page cache. Autovacuum is
 * off: it would go through every test's database in turn. Nothing replicates, so the log needs no more than `minimal`.
 */
const keeper = `
home=$1 bin=$2
shift 2
echo $$ >"$home/keeper.pid"
trap '[ -z "$server" ] || kill -QUIT "$server"; wait; rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
trap '' PIPE
complain() { cat "$home/log" >&2; exit 1; }
"$bin/initdb" -D "$home/data" -U pharos --auth=trust --encoding=UTF8 --locale=C --no-sync >"$home/log" 2>&1 || complain
"$bin/postgres" -D "$home/data" -k "$home" -c listen_addresses= -c max_connections=200 "$@" </dev/null >>"$home/log" 2>&1 &
server=$!
until grep -qs ready "$home/data/postmaster.pid"; do kill -0 "$server" 2>&- || complain; sleep 0.05; done
echo ready
read -r _
`

const fast = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0']

/** For benchmarks: on disk, and flushed as PostgreSQL flushes by default. */
export type Durability = 'fast' | 'durable'

export interface Cluster extends AsyncDisposable {
  /** Its maintenance database; databases for tests are created beside it. */
  readonly url: string
  stop(): Promise<void>
}

/** The folder of PostgreSQL's server programs, or null where there is none. */
export function findServerPrograms(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env.PHAROS_TEST_PG_BIN
  if (named) {
    if (holdsServer(named)) return named
    throw new Error(`PHAROS_TEST_PG_BIN is ${named}, but initdb and postgres are not there.`)
  }
  if (process.platform === 'win32') return null
  const byVersion = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...configuredFolder(env), ...byVersion, ...onPath].find(holdsServer) ?? null
}

function homePattern(): string {
  const [inMemory, onDisk] = homePatterns
  try {
    const { bavail, bsize } = statfsSync(dirname(inMemory))
    return bavail * bsize < MEMORY_BYTES_NEEDED ? onDisk : inMemory
  } catch {
    return onDisk // Systems other than Linux.
  }
}

/** Starts a private cluster that listens on a socket in a folder of its own, and nowhere else. `more` are settings such as `ssl=on`. */
export async function startCluster(
  programs: string,
  durability: Durability = 'fast',
  more: readonly string[] = [],
): Promise<Cluster> {
  const account = serverAccount()
  await sweepDeadClusters(account?.uid ?? process.getuid?.())
  const home = await mkdtemp(durability === 'fast' ? homePattern() : homePatterns[1])
  if (account) await chown(home, account.uid, account.gid)
  const settings = [...(durability === 'fast' ? fast : []), ...more].flatMap((setting) => ['-c', setting])
  const child = spawn('/bin/sh', ['-c', keeper, 'keeper', home, realpathSync(programs), ...settings], {
    ...account,
    cwd: '/',
    detached: true,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  await untilReady(child)
  // Does not keep the run alive; the shell notices its end.
  child.unref()
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = () => {
    child.ref()
    child.stdin?.end()
    return ended
  }
  return { url: `postgres:///postgres?host=${home}&user=pharos`, stop, [Symbol.asyncDispose]: stop }
}

async function untilReady(child: ChildProcess): Promise<void> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('The shell of the test cluster has no pipes.')
  const errorText = text(stderr)
  const ready = new Promise<boolean>((resolve, reject) => {
    stdout.once('data', () => resolve(true))
    child.once('error', reject)
    child.once('close', () => resolve(false))
  })
  if (!(await ready)) throw new Error(`The test cluster did not start:\n${await errorText}`)
  stdout.resume()
  for (const pipe of [child.stdin, stdout, stderr]) (pipe as unknown as { unref(): void }).unref()
}

/** PostgreSQL refuses to run as root, so root runs it under another account; anyone else runs it as themselves. */
export function serverAccount(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.')
}

/** Removes clusters whose shell was killed too, or that a power cut left behind. */
async function sweepDeadClusters(owner: number | undefined): Promise<void> {
  for (const home of globSync(homePatterns.map((pattern) => `${pattern}*`))) {
    const folder = lstatSync(home, { throwIfNoEntry: false })
    // Leaves other accounts' folders alone, and very young ones, whose shell may not have started yet.
    if (!folder?.isDirectory() || folder.uid !== owner || Date.now() - folder.mtimeMs < 60_000) continue
    if (isAlive(pidIn(join(home, 'keeper.pid')))) continue
    // The number in its file may belong to another process by now, unless the server still answers.
    const server = pidIn(join(home, 'data', 'postmaster.pid'))
    for (let tries = 0; server && tries < 100 && (await answers(join(home, '.s.PGSQL.5432'))); tries++) {
      if (isAlive(server)) process.kill(server, 'SIGQUIT')
      await delay(100)
    }
    await rm(home, { recursive: true, force: true })
  }
}

function pidIn(file: string): number | null {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null
  return Number.parseInt(readFileSync(file, 'utf8'), 10) || null
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false))
    connection.once('connect', () => connection.destroy())
  })
}

function configuredFolder(env: NodeJS.ProcessEnv): string[] {
  try {
    return [
      execFileSync('pg_config', ['--bindir'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim(),
    ]
  } catch {
    return [] // No pg_config: the other folders are searched.
  }
}

function holdsServer(folder: string): boolean {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
}
