import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { startTargets, temporaryFolder } from '../support/children.ts'
import { KEY, pharos } from '../support/processes.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'
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
  const startedMb = residentMb(server.pid)
  await create(server.url, { ...subjectOf('HTTP', targets.plain), intervalSeconds: INTERVAL_SECONDS })
  const createdMb = residentMb(server.pid)
  const seen: number[] = []
  for (let passed = 0; passed < SECONDS; passed += LOOK_EVERY_SECONDS) {
    await setTimeout(LOOK_EVERY_SECONDS * 1000)
    seen.push(residentMb(server.pid))
    if (passed % 30 === 0) progress(`${passed} of ${SECONDS} s, ${seen.at(-1)?.toFixed(0)} MB`)
  }
  progress('')
  const mostMb = Math.max(...seen)
  const isMet = mostMb < GOAL_MB
  new Table(`Resident memory: ${MONITORS} HTTP monitors every ${INTERVAL_SECONDS} s, ${SECONDS} s`, [
    '',
    'started MB',
    'created MB',
    'most MB',
    'last MB',
    'goal',
    '',
  ]).row([
    `${MONITORS} monitors`,
    startedMb.toFixed(0),
    createdMb.toFixed(0),
    mostMb.toFixed(0),
    (seen.at(-1) ?? 0).toFixed(0),
    `< ${GOAL_MB}`,
    verdict(isMet),
  ])
  note(`Of the last: ${partsOf(server.pid)}`)
  return isMet
}

async function create(url: string, subject: object): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = JSON.stringify({ name: 'bench', ...subject })
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  let left = MONITORS
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request(`${url}/api/v1/monitors`, { method: 'POST', agent, headers }, (answer) => {
        if (answer.statusCode === 201) answer.resume().on('end', resolve)
        else reject(new Error(`A creation was answered with ${answer.statusCode}`))
      })
      asked.on('error', reject).end(body)
    })
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      if (left % 2_500 === 0) progress(`${left} monitors still to be made`)
      await post()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
}

function residentMb(pid: number): number {
  return lineOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS') / 1000
}

/** Pages of the Node binary are shared between processes; the rest is private. */
function partsOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const files = lineOf(status, 'RssFile') + lineOf(status, 'RssShmem')
  return `${(lineOf(status, 'RssAnon') / 1000).toFixed(0)} MB its own, ${(files / 1000).toFixed(0)} MB of files (the Node binary, libraries, the WAL's index)`
}

function lineOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1.024
}
