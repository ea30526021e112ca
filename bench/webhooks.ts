/**
 * Signed and recorded deliveries per second, compared with Node's client posting the same bytes to the same receiver over as many
 * keep-alive connections. Fresh processes, order reversed from round to round, medians.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from './support/load.ts'
import { root, startProcess } from './support/processes.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 60_000)
const ENDPOINTS = 16
const LANES = 4
const BODY_BYTES = 1_500
const GOAL = 0.4

interface Measured {
  readonly perSecond: number
  readonly cpuUs: number
  readonly rssMb?: number
}

const run = promisify(execFile)

async function json(script: string, args: readonly (string | number)[]): Promise<Measured> {
  const file = join(root, 'bench/support', script)
  const { stdout } = await run(process.execPath, [file, ...args.map(String)], { cwd: root, maxBuffer: 1 << 20 })
  return JSON.parse(stdout) as Measured
}

await using receiver = await startProcess([join(root, 'bench/support/receiver.ts')], {})
const bare = () => json('bare-post.ts', [receiver.url, DELIVERIES, ENDPOINTS * LANES, BODY_BYTES])
const sender = () => json('webhooks.ts', [receiver.url, DELIVERIES, ENDPOINTS, BODY_BYTES])

process.stdout.write(`Node ${process.version}, ${DELIVERIES} of ${BODY_BYTES} bytes a side, ${ROUNDS} rounds\n\n`)
const rounds: { bare: Measured; sender: Measured }[] = []
for (let i = 0; i < ROUNDS; i += 1) {
  const early = i % 2 === 0 ? await bare() : undefined
  const sent = await sender()
  rounds.push({ bare: early ?? (await bare()), sender: sent })
}
const of = (pick: (round: (typeof rounds)[number]) => number): number => median(rounds.map(pick))
const ratio = of((round) => round.sender.perSecond / round.bare.perSecond)
const rows = [
  ['', 'per second', 'CPU µs'],
  ['bare', of((round) => round.bare.perSecond).toFixed(0), of((round) => round.bare.cpuUs).toFixed(0)],
  ['webhooks', of((round) => round.sender.perSecond).toFixed(0), of((round) => round.sender.cpuUs).toFixed(0)],
]
for (const [name = '', ...cells] of rows) {
  process.stdout.write(`${name.padEnd(10)}${cells.map((cell) => cell.padStart(12)).join('')}\n`)
}
process.stdout.write(
  `\nratio ${ratio.toFixed(2)} (goal ${GOAL}), RSS ${of((round) => round.sender.rssMb ?? 0).toFixed(0)} MB\n`,
)
if (ratio < GOAL) process.exitCode = 1
