/**
 * Requests per second with 100,000 monitors compared with 100: first page, last page, creation. Goal: within a factor of 3.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { organizationWithIdOrSlug } from '../src/accounts/organizations/queries.ts'
import type { OperationContext } from '../src/contract/operation.ts'
import { silentLog } from '../src/lib/log.ts'
import { createMonitor } from '../src/monitoring/monitors/create.ts'
import { readConfig } from '../src/server/config/config.ts'
import { startPharos } from '../src/server/start.ts'
import { type Load, measure, median } from './support/load.ts'
import { KEY, pharos } from './support/processes.ts'

const SMALL = 100
const LARGE = 100_000
const ROUNDS = 3
const SECONDS = 3
const GOAL = 3

const creation = { name: 'Checkout', type: 'HTTP', url: 'https://example.com/health' }
const headers = { 'x-api-key': KEY }

/** Creates monitors in the default organization by calling the operation without HTTP. */
async function fill(dataDir: string, count: number): Promise<void> {
  const config = readConfig({ PORT: '0', PHAROS_DATA_DIR: dataDir, PHAROS_BOOTSTRAP_KEY: KEY })
  const running = await startPharos(config, { log: silentLog })
  const org = await running.database.read(organizationWithIdOrSlug('default'))
  if (org === undefined || !('handle' in createMonitor)) throw new Error('There is nothing to fill')
  const { handle } = createMonitor
  const { body } = createMonitor as unknown as { body: { properties: Record<string, { default?: unknown }> } }
  const defaults = Object.entries(body.properties).map(([name, property]) => [name, property.default])
  const complete = { ...Object.fromEntries(defaults), ...creation }
  const call = {
    caller: { orgId: org.id, plan: org.plan },
    now: Date.now(),
    installation: { baseUrl: 'http://localhost' },
  }
  for (let created = 0; created < count; created += 1_000) {
    const batch = Math.min(1_000, count - created)
    const input = { body: complete, params: undefined, query: undefined }
    await Promise.all(
      Array.from({ length: batch }, () =>
        running.database.write(() => handle(call as unknown as OperationContext, input as never)),
      ),
    )
  }
  await running.stop()
}

interface Case {
  readonly name: string
  readonly load: (url: string, count: number) => Omit<Load, 'seconds' | 'connections'>
}

const cases: readonly Case[] = [
  { name: 'first page', load: (url) => ({ url: `${url}/api/v1/monitors?offset=0`, headers }) },
  { name: 'last page', load: (url, count) => ({ url: `${url}/api/v1/monitors?offset=${count - 25}`, headers }) },
  {
    name: 'create',
    load: (url) => ({
      url: `${url}/api/v1/monitors`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'scale-[<id>]' },
      body: JSON.stringify(creation),
    }),
  },
]

async function measured(dataDir: string, count: number): Promise<number[]> {
  await using server = await pharos(dataDir)
  const perSecond: number[] = []
  for (const { load } of cases) {
    const at = { ...load(server.url, count), connections: 16 }
    await measure({ ...at, seconds: 1 })
    perSecond.push((await measure({ ...at, seconds: SECONDS })).perSecond)
  }
  return perSecond
}

const folders = { small: mkdtempSync(join(tmpdir(), 'pharos-s-')), large: mkdtempSync(join(tmpdir(), 'pharos-l-')) }
try {
  await fill(folders.small, SMALL)
  process.stdout.write(`Filling with ${LARGE} monitors …\n`)
  await fill(folders.large, LARGE)
  const rounds: { small: number[]; large: number[] }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)
    const result: { small: number[]; large: number[] } = { small: [], large: [] }
    for (const side of order) result[side] = await measured(folders[side], side === 'small' ? SMALL : LARGE)
    rounds.push(result)
  }
  process.stdout.write(`\n              ${SMALL} monitors   ${LARGE} monitors   factor (goal ≤ ${GOAL})\n`)
  for (const [i, { name }] of cases.entries()) {
    const small = median(rounds.map((round) => round.small[i] as number))
    const large = median(rounds.map((round) => round.large[i] as number))
    const factor = median(rounds.map((round) => (round.small[i] as number) / (round.large[i] as number)))
    if (factor > GOAL) process.exitCode = 1
    const cells = [name.padEnd(12), `${Math.round(small)}/s`.padStart(13), `${Math.round(large)}/s`.padStart(18)]
    process.stdout.write(`${cells.join(' ')} ${factor.toFixed(2).padStart(9)}\n`)
  }
} finally {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
}
