/**
 * Requests per second with 100,000 monitors compared with 100: first page, last page, creation. Goal: within a factor of 3.
 */
import { temporaryFolder } from './support/children.ts'
import { type Load, measure } from './support/load.ts'
import { addMonitors, fill } from './support/monitors.ts'
import { KEY, pharos } from './support/processes.ts'
import { inRounds, over } from './support/rounds.ts'
import { setting } from './support/sections.ts'
import { Table, verdict } from './support/table.ts'

const SMALL = 100
const LARGE = setting('BENCH_MONITORS', 100_000)
const ROUNDS = setting('BENCH_ROUNDS', 3)
const SECONDS = setting('BENCH_SECONDS', 3)
const GOAL = 3

const subject = { name: 'Checkout', type: 'HTTP', url: 'https://example.com/health', intervalSeconds: 300 }
const headers = { 'x-api-key': KEY }
const connections = 16

const loads: Readonly<Record<string, (count: number) => Load>> = {
  'first page': () => ({ path: '/api/v1/monitors?offset=0', headers, connections }),
  'last page': (count) => ({ path: `/api/v1/monitors?offset=${count - 25}`, headers, connections }),
  create: () => ({
    path: '/api/v1/monitors',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'scale-[<id>]' },
    body: JSON.stringify(subject),
    connections,
  }),
}

async function perSecondOf(dataDir: string, count: number): Promise<number[]> {
  await using server = await pharos(dataDir)
  const perSecond: number[] = []
  for (const load of Object.values(loads)) perSecond.push((await measure(server, load(count), SECONDS, 1)).perSecond)
  return perSecond
}

using small = temporaryFolder()
using large = temporaryFolder()
const now = Date.now()
await fill(small.path, now, (database) => addMonitors(database, SMALL, subject, now))
await fill(large.path, now, (database) => addMonitors(database, LARGE, subject, now))
const rounds = await inRounds(ROUNDS, {
  small: () => perSecondOf(small.path, SMALL),
  large: () => perSecondOf(large.path, LARGE),
})
const table = new Table(`Requests a second, ${ROUNDS} rounds of ${SECONDS} s`, [
  '',
  ...[`${SMALL} monitors`, `${LARGE} monitors`, 'factor', 'goal', ''],
])
for (const [i, name] of Object.keys(loads).entries()) {
  const factor = over(rounds, (round) => (round.small[i] as number) / (round.large[i] as number))
  if (factor > GOAL) process.exitCode = 1
  table.row([
    name,
    over(rounds, (round) => round.small[i] as number).toFixed(0),
    over(rounds, (round) => round.large[i] as number).toFixed(0),
    factor.toFixed(2),
    `≤ ${GOAL}`,
    verdict(factor <= GOAL),
  ])
}
