import { type EngineProcess, runScript, startEngine, startTargets, temporaryFolder } from '../support/children.ts'
import type { Percentiles } from '../support/figures.ts'
import { fillFolder } from '../support/monitors.ts'
import { KEY } from '../support/processes.ts'
import { setting } from '../support/sections.ts'
import { percent, printRow, progress, verdict } from '../support/table.ts'
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
  await using running = await startLoad('HTTP', monitors)
  const { engine } = running
  const [measured, api] = await Promise.all([
    engine.measure({ seconds: SECONDS + 3 }),
    runScript<Percentiles>('steady.ts', [
      REQUESTS_PER_SECOND,
      SECONDS,
      `${engine.url}/api/v1/monitors/${await anyMonitor(engine.url)}`,
      `${engine.url}/api/v1/monitors`,
    ]),
  ])
  progress('')
  const perSecond = measured.checks / measured.seconds
  const isMet = perSecond >= GOAL_PER_SECOND && api.p99 < GOAL_P99_MS && measured.longestOwnStallMs <= GOAL_STALL_MS
  const title = `HTTP checks in one process: ${monitors} monitors every ${INTERVAL_SECONDS} s`
  printRow(`${title}, ${REQUESTS_PER_SECOND} API requests a second beside them, ${SECONDS} s`, [
    ['', 'HTTP and API'],
    ['checks/s', perSecond.toFixed(0)],
    ['goal', `≥ ${GOAL_PER_SECOND}`],
    ['API p50 ms', api.p50.toFixed(1)],
    ['p99 ms', api.p99.toFixed(1)],
    ['goal', `< ${GOAL_P99_MS}`],
    ['max ms', api.max.toFixed(0)],
    ['', verdict(isMet)],
    ['CPU µs/check', (measured.cpuUs / measured.checks).toFixed(0)],
    ['main thread busy', percent(measured.loopBusy, 1)],
    ['longest stall ms', measured.longestStallMs.toFixed(0)],
    ['own ms', measured.longestOwnStallMs.toFixed(0)],
    ['goal', `≤ ${GOAL_STALL_MS}`],
    ['RSS MB', measured.rssMb.toFixed(0)],
  ])
  return isMet
}

/** An engine that checks monitors of one type, warmed up. */
async function startLoad(
  type: 'HTTP' | 'HTTPS',
  monitors: number,
): Promise<{ engine: EngineProcess } & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const targets = starting.use(await startTargets())
  const folder = starting.use(temporaryFolder())
  const url = type === 'HTTPS' ? targets.secure : targets.plain
  const subject = { ...subjectOf(type, url), intervalSeconds: INTERVAL_SECONDS }
  await fillFolder(folder.path, monitors, subject, Date.now())
  const engine = starting.use(await startEngine(folder.path, Date.now(), 1))
  progress(`${monitors} ${type} monitors: ${WARM_UP_SECONDS} s to warm up, ${SECONDS} s to measure`)
  await engine.warmUp({ seconds: WARM_UP_SECONDS })
  const running = starting.move()
  return { engine, [Symbol.asyncDispose]: () => running.disposeAsync() }
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
  await using running = await startLoad('HTTPS', monitors)
  const measured = await running.engine.measure({ seconds: SECONDS })
  progress('')
  const perSecond = measured.checks / measured.seconds
  const isMet = measured.loopBusy < GOAL_BUSY && perSecond > 0.95 * HTTPS_PER_SECOND
  printRow(`The main thread beside HTTPS checks: ${monitors} monitors every ${INTERVAL_SECONDS} s, ${SECONDS} s`, [
    ['', 'HTTPS'],
    ['checks/s', perSecond.toFixed(0)],
    ['main thread busy', percent(measured.loopBusy, 1)],
    ['goal', `< ${percent(GOAL_BUSY)}`],
    ['', verdict(isMet)],
    ['main thread CPU', percent(measured.mainThreadCpuUs / measured.seconds / 1_000_000, 1)],
    ['RSS MB', measured.rssMb.toFixed(0)],
  ])
  return isMet
}
