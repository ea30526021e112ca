/**
 * Signed and recorded deliveries per second, compared with Node's client posting the same bytes to the same receiver over as many
 * keep-alive connections. Fresh processes, order reversed from round to round, medians.
 */
import { join } from 'node:path'
import { runScript } from './support/children.ts'
import { root, startProcess } from './support/processes.ts'
import { inRounds, over } from './support/rounds.ts'
import { setting } from './support/sections.ts'
import { printRow, verdict } from './support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 3)
const DELIVERIES = setting('BENCH_DELIVERIES', 60_000)
const ENDPOINTS = 16
const LANES = 4
const BODY_BYTES = 1_500
const GOAL = 0.4

interface Posted {
  readonly perSecond: number
  readonly cpuUs: number
  readonly rssMb?: number
}

await using receiver = await startProcess([join(root, 'bench/support/receiver.ts')])
const rounds = await inRounds(ROUNDS, {
  bare: () => runScript<Posted>('bare-post.ts', [receiver.url, DELIVERIES, ENDPOINTS * LANES, BODY_BYTES]),
  sender: () => runScript<Posted>('webhooks.ts', [receiver.url, DELIVERIES, ENDPOINTS, BODY_BYTES]),
})
const ratio = over(rounds, ({ bare, sender }) => sender.perSecond / bare.perSecond)
printRow(`Node ${process.version}, ${DELIVERIES} of ${BODY_BYTES} bytes a side, ${ROUNDS} rounds`, [
  ['', 'webhooks'],
  ['bare/s', over(rounds, ({ bare }) => bare.perSecond).toFixed(0)],
  ['ours/s', over(rounds, ({ sender }) => sender.perSecond).toFixed(0)],
  ['ratio', ratio.toFixed(2)],
  ['goal', `≥ ${GOAL}`],
  ['', verdict(ratio >= GOAL)],
  ['bare CPU µs', over(rounds, ({ bare }) => bare.cpuUs).toFixed(0)],
  ['ours CPU µs', over(rounds, ({ sender }) => sender.cpuUs).toFixed(0)],
  ['RSS MB', over(rounds, ({ sender }) => sender.rssMb ?? 0).toFixed(0)],
])
if (ratio < GOAL) process.exitCode = 1
