import { setTimeout } from 'node:timers/promises'
import { startTargets, temporaryFolder } from '../support/children.ts'
import { create, megabytesOf, pharos, repeat } from '../support/processes.ts'
import { setting } from '../support/sections.ts'
import { note, printRow, progress, verdict } from '../support/table.ts'
import { subjectOf } from './cost.ts'

const MONITORS = setting('BENCH_MONITORS', 10_000)
const SECONDS = setting('BENCH_SECONDS', 120)
const INTERVAL_SECONDS = 30
const GOAL_MB = 250
const LOOK_EVERY_SECONDS = 5
const CONNECTIONS = 16

/** Memory of a server started by `pharos start`, with many monitors created through its API. */
export async function memory(): Promise<boolean> {
  await using targets = await startTargets()
  using folder = temporaryFolder()
  await using server = await pharos(folder.path, { PHAROS_ROLES: 'all', PHAROS_METRICS_LISTEN: '0' })
  const residentMb = (kind = 'VmRSS'): number => megabytesOf(server.pid, kind)
  const startedMb = residentMb()
  const monitor = { name: 'bench', ...subjectOf('HTTP', targets.plain), intervalSeconds: INTERVAL_SECONDS }
  await repeat(MONITORS, CONNECTIONS, (i) => {
    if (i % 2_500 === 0) progress(`${i} of ${MONITORS} monitors created`)
    return create(server, '/monitors', monitor)
  })
  const createdMb = residentMb()
  const seen: number[] = []
  for (let passed = 0; passed < SECONDS; passed += LOOK_EVERY_SECONDS) {
    await setTimeout(LOOK_EVERY_SECONDS * 1000)
    seen.push(residentMb())
    if (passed % 30 === 0) progress(`${passed} of ${SECONDS} s, ${seen.at(-1)?.toFixed(0)} MB`)
  }
  progress('')
  const mostMb = Math.max(...seen)
  const isMet = mostMb < GOAL_MB
  printRow(`Resident memory: ${MONITORS} HTTP monitors every ${INTERVAL_SECONDS} s, ${SECONDS} s`, [
    ['', `${MONITORS} monitors`],
    ['started MB', startedMb.toFixed(0)],
    ['created MB', createdMb.toFixed(0)],
    ['most MB', mostMb.toFixed(0)],
    ['last MB', (seen.at(-1) ?? 0).toFixed(0)],
    ['goal', `< ${GOAL_MB}`],
    ['', verdict(isMet)],
  ])
  // Pages of the Node binary are shared between processes; the rest is private.
  const filesMb = residentMb('RssFile') + residentMb('RssShmem')
  const files = `${filesMb.toFixed(0)} MB of files (the Node binary, libraries, the WAL's index)`
  note(`Of the last: ${residentMb('RssAnon').toFixed(0)} MB its own, ${files}`)
  return isMet
}
