/**
 * An import from Uptime Kuma 1.23 with its history: time and memory of the commands and of the server, and whether a run that was
 * killed and repeated stores the same as one that was not.
 *   npm run bench:import
 * BENCH_MONITORS (800) and BENCH_BEATS (10,000,000) change the size. BENCH_KUMA: a kuma.db that was generated before.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setInterval } from 'node:timers/promises'
import { SQLITE_FILE } from '../src/storage/sqlite/database.ts'
import { temporaryFolder } from './support/children.ts'
import { KEY, megabytesOf, pharos, root, type Server } from './support/processes.ts'
import { note, progress, Table } from './support/table.ts'

const MONITORS = process.env.BENCH_MONITORS ?? '800'
const BEATS = process.env.BENCH_BEATS ?? '10000000'
const GOAL_SECONDS = 300
const GOAL_MB = 300
const SAMPLE_MS = 50

using folder = temporaryFolder()
const file = process.env.BENCH_KUMA ?? join(folder.path, 'kuma.db')
if (process.env.BENCH_KUMA === undefined) {
  progress(`generating ${Number(BEATS).toLocaleString('en-US')} beats`)
  const generator = [join(root, 'test/importers/kuma/generate.ts'), file, MONITORS, BEATS]
  if (spawnSync(process.execPath, generator, { stdio: 'inherit' }).status !== 0)
    throw new Error('No file was generated')
}

interface Ran {
  readonly seconds: number
  readonly peakMb: number
}

/** Runs a command until it ends, or until `isOver` is true, when it is killed. */
async function run({ url }: Server, args: readonly string[], isOver = () => false): Promise<Ran> {
  progress(args.slice(0, 2).join(' '))
  const env = { ...process.env, PHAROS_URL: url, PHAROS_API_KEY: KEY, TMPDIR: folder.path }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(root, 'bin/pharos.js'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let [peakMb, printed] = [0, '']
  child.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const exit = once(child, 'exit')
  for await (const _ of setInterval(SAMPLE_MS)) {
    if (child.exitCode !== null || child.signalCode !== null) break
    peakMb = Math.max(peakMb, megabytesOf(child.pid as number, 'VmHWM') || 0)
    if (isOver()) child.kill('SIGKILL')
  }
  const [code, signal] = await exit
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`pharos ${args.join(' ')} ended with ${code}: ${printed}`)
  return { seconds: (performance.now() - startedAt) / 1000, peakMb }
}

/** The oldest hours are left out, because they are deleted after eight days. */
const hoursFrom = Date.now() - 190 * 3_600_000

/** The stored history, without the ids that the database gave. */
function storedIn(dataDir: string) {
  using database = new DatabaseSync(join(dataDir, SQLITE_FILE), { readOnly: true })
  const hash = createHash('sha256')
  let rows = 0
  for (const [from, stored] of [
    [hoursFrom, 'rollup_hours'],
    [0, 'rollup_days'],
  ] as const) {
    const sorted = database.prepare(
      `select m.name, r.* from ${stored} r join monitors m using (num) where r.start_at > ? order by m.name, r.start_at`,
    )
    for (const { num: _num, org_id: _org, ...row } of sorted.iterate(from)) {
      hash.update(JSON.stringify(row))
      rows += 1
    }
  }
  return { rows, digest: hash.digest('hex') }
}

const importing = ['import', 'kuma', file, '--apply', '--yes']
const importingHistory = ['import-history', 'kuma', file]
const table = new Table(
  `${Number(BEATS).toLocaleString('en-US')} beats of ${MONITORS} monitors, ${(statSync(file).size / 1e9).toFixed(1)} GB`,
  ['step', 'seconds', 'peak MB', 'server MB'],
)

async function step(name: string, server: Server, args: readonly string[], isOver?: () => boolean): Promise<Ran> {
  const ran = await run(server, args, isOver)
  table.row([name, ran.seconds.toFixed(1), ran.peakMb.toFixed(0), megabytesOf(server.pid, 'VmHWM').toFixed(0)])
  return ran
}

using whole = temporaryFolder()
using killed = temporaryFolder()
const ran: Ran[] = []
{
  await using server = await pharos(whole.path)
  ran.push(await step('monitors', server, importing), await step('history', server, importingHistory))
}
const expected = storedIn(whole.path)
{
  await using server = await pharos(killed.path)
  await step('monitors again', server, importing)
  const halfMs = ((ran[1]?.seconds ?? 0) / 2) * 1000
  const from = performance.now()
  await step('killed reading', server, importingHistory, () => performance.now() - from > halfMs)
  await step('killed sending', server, importingHistory, () => storedIn(killed.path).rows > 0)
  note(`${storedIn(killed.path).rows} of ${expected.rows} hours and days were stored when it was killed.`)
  await step('run again', server, importingHistory)
}
const isSame = storedIn(killed.path).digest === expected.digest
const seconds = ran.reduce((sum, one) => sum + one.seconds, 0)
const peakMb = Math.max(...ran.map((one) => one.peakMb))
note(
  `${seconds.toFixed(1)} s (goal ${GOAL_SECONDS}), ${peakMb.toFixed(0)} MB (goal ${GOAL_MB}); after the kills, ` +
    `${expected.rows} hours and days are ${isSame ? 'the same' : 'NOT the same'}`,
)
progress('')
process.exitCode = isSame && seconds <= GOAL_SECONDS && peakMb <= GOAL_MB ? 0 : 1
