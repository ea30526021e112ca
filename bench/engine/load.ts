import { runScript, startEngine, startTargets, temporaryFolder } from '../support/children.ts'
import { fillFolder } from '../support/monitors.ts'
import { KEY } from '../support/processes.ts'
import { setting } from '../support/sections.ts'
import type { Steady } from '../support/steady.ts'
import { progress, Table, verdict } from '../support/table.ts'
import { subjectOf } from './cost.ts'

const SECONDS = setting('BENCH_SECONDS', 30)
const INTERVAL_SECONDS = 30
/** Warm-up: every monitor is checked at least once, and V8 has compiled the hot code. */
const WARM_UP_SECONDS = 45

const GOAL_PER_SECOND = setting('BENCH_RATE', 1_500)
const GOAL_P99_MS = 50
const GOAL_STALL_MS = 50
const REQUESTS_PER_SECOND = 100

/** Checks at a fixed rate in real time while a client uses the API. */
export async function rate(): Promise<boolean> {
  const monitors = Math.round(1.1 * GOAL_PER_SECOND * INTERVAL_SECONDS)
  await using targets = await startTargets()
  using folder = temporaryFolder()
  const subject = { ...subjectOf('HTTP', targets.plain), intervalSeconds: INTERVAL_SECONDS }
  await fillFolder(folder.path, monitors, subject, Date.now())
  await using engine = await startEngine(folder.path, Date.now(), 1)
  progress(`${monitors} monitors: ${WARM_UP_SECONDS} s to warm up, ${SECONDS} s to measure`)
  await engine.measure({ seconds: WARM_UP_SECONDS })
  const one = await anyMonitor(engine.url)
  const [measured, api] = await Promise.all([
    engine.measure({ seconds: SECONDS + 3 }),
    runScript<Steady>('steady.ts', [
      REQUESTS_PER_SECOND,
      SECONDS,
      `${engine.url}/api/v1/monitors/${one}`,
      `${engine.url}/api/v1/monitors`,
    ]),
  ])
  progress('')
  if (measured.notUp > 0) throw new Error(`${measured.notUp} of ${monitors} monitors are not up`)
  const perSecond = measured.checks / measured.seconds
  const isMet = perSecond >= GOAL_PER_SECOND && api.p99Ms < GOAL_P99_MS && measured.longestOwnStallMs <= GOAL_STALL_MS
  new Table(
    `HTTP checks in one process: ${monitors} monitors every ${INTERVAL_SECONDS} s, ${REQUESTS_PER_SECOND} API requests a second beside them, ${SECONDS} s`,
    [
      '',
      'checks/s',
      'goal',
      'API p50 ms',
      'p99 ms',
      'goal',
      'max ms',
      '',
      'CPU µs/check',
      'main thread busy',
      'longest stall ms',
      'own ms',
      'goal',
      'RSS MB',
    ],
  ).row([
    'HTTP and API',
    perSecond.toFixed(0),
    `≥ ${GOAL_PER_SECOND}`,
    api.p50Ms.toFixed(1),
    api.p99Ms.toFixed(1),
    `< ${GOAL_P99_MS}`,
    api.maxMs.toFixed(0),
    verdict(isMet),
    (measured.cpuUs / measured.checks).toFixed(0),
    `${(100 * measured.loopBusy).toFixed(1)} %`,
    measured.longestStallMs.toFixed(0),
    measured.longestOwnStallMs.toFixed(0),
    `≤ ${GOAL_STALL_MS}`,
    measured.rssMb.toFixed(0),
  ])
  return isMet
}

async function anyMonitor(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/monitors?limit=1`, { headers: { 'x-api-key': KEY } })
  const { data } = (await answer.json()) as { data: readonly { id: string }[] }
  return data[0]?.id ?? ''
}

const GOAL_BUSY = 0.15
const HTTPS_PER_SECOND = 300

/** Load of the main thread during HTTPS checks, whose handshakes run in probe threads. */
export async function busy(): Promise<boolean> {
  const monitors = HTTPS_PER_SECOND * INTERVAL_SECONDS
  await using targets = await startTargets()
  using folder = temporaryFolder()
  const subject = { ...subjectOf('HTTPS', targets.secure), intervalSeconds: INTERVAL_SECONDS }
  await fillFolder(folder.path, monitors, subject, Date.now())
  await using engine = await startEngine(folder.path, Date.now(), 1)
  progress(`${monitors} HTTPS monitors: ${WARM_UP_SECONDS} s to warm up, ${SECONDS} s to measure`)
  await engine.measure({ seconds: WARM_UP_SECONDS })
  const measured = await engine.measure({ seconds: SECONDS })
  progress('')
  if (measured.notUp > 0) throw new Error(`${measured.notUp} of ${monitors} monitors are not up`)
  const perSecond = measured.checks / measured.seconds
  const isMet = measured.loopBusy < GOAL_BUSY && perSecond > 0.95 * HTTPS_PER_SECOND
  new Table(`The main thread beside HTTPS checks: ${monitors} monitors every ${INTERVAL_SECONDS} s, ${SECONDS} s`, [
    '',
    'checks/s',
    'main thread busy',
    'goal',
    '',
    'main thread CPU',
    'RSS MB',
  ]).row([
    'HTTPS',
    perSecond.toFixed(0),
    `${(100 * measured.loopBusy).toFixed(1)} %`,
    `< ${100 * GOAL_BUSY} %`,
    verdict(isMet),
    `${(measured.mainThreadCpuUs / measured.seconds / 10_000).toFixed(1)} %`,
    measured.rssMb.toFixed(0),
  ])
  return isMet
}
