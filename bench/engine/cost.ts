import type { MonitorOptions } from '../../src/contract/check-options.ts'
import { findBlackbox, measureBlackbox } from '../support/blackbox.ts'
import { runScript, startEngine, startTargets, temporaryFolder } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { fillFolder } from '../support/monitors.ts'
import { inRounds, over } from '../support/rounds.ts'
import { setting } from '../support/sections.ts'
import { note, printRow, verdict } from '../support/table.ts'

export const ROUNDS = setting('BENCH_ROUNDS', 3)
export const CHECKS = setting('BENCH_CHECKS', 36_000)
/** V8 still compiles after half as many checks. */
const WARM_UP = CHECKS
const BLACKBOX_PROBES = 3_000

/**
 * The default interval. Each monitor is checked twelve times, one hour of its simulated time, so that the measurement includes
 * closing one hourly roll-up per monitor.
 */
const INTERVAL_SECONDS = 300
const CHECKS_AN_HOUR = 3600 / INTERVAL_SECONDS

interface Kind {
  readonly type: 'HTTP' | 'HTTPS' | 'PORT'
  readonly goal: number
  readonly checksPerSecond: number
}

const kinds = {
  http: { type: 'HTTP', goal: 1.25, checksPerSecond: 1_500 },
  https: { type: 'HTTPS', goal: 1.2, checksPerSecond: 600 },
  port: { type: 'PORT', goal: 1.5, checksPerSecond: 1_500 },
} as const satisfies Record<string, Kind>

interface Bare {
  /** At the same rate as the engine. */
  readonly cpuUs: number
  /** In a tight loop. */
  readonly flatOutUs: number
}

/** CPU time of a complete scheduled check, compared with Node's client at the same number of requests per second. */
export async function cost(name: keyof typeof kinds): Promise<boolean> {
  const { type, goal, checksPerSecond } = kinds[name]
  await using targets = await startTargets()
  const url = type === 'HTTPS' ? targets.secure : targets.plain
  const program = findBlackbox()
  const rounds = await inRounds(ROUNDS, {
    bare: () => runScript<Bare>('bare-probe.ts', [type, url, CHECKS, WARM_UP, checksPerSecond]),
    engine: () => measureChecks(subjectOf(type, url), checksPerSecond),
    exporter: async () => program && (await measureBlackbox(program, type, url, BLACKBOX_PROBES)),
  })
  const ratio = over(rounds, ({ bare, engine }) => engine.cpuUs / engine.checks / bare.cpuUs)
  const isMet = ratio <= goal
  const title = `CPU time per ${type} check: ${CHECKS} checks a side at ${checksPerSecond} a second`
  printRow(`${title}, ${ROUNDS} rounds, Node ${process.version}`, [
    ['', type],
    ['bare µs', over(rounds, ({ bare }) => bare.cpuUs).toFixed(0)],
    ['check µs', over(rounds, ({ engine: { cpuUs, checks } }) => cpuUs / checks).toFixed(0)],
    ['ratio', ratio.toFixed(2)],
    ['goal', `≤ ${goal.toFixed(2)}`],
    ['', verdict(isMet)],
    ['bare flat out µs', over(rounds, ({ bare }) => bare.flatOutUs).toFixed(0)],
    ['blackbox_exporter µs', program ? over(rounds, ({ exporter }) => exporter || Number.NaN).toFixed(0) : '-'],
    ['main thread µs', over(rounds, ({ engine: { mainThreadCpuUs, checks } }) => mainThreadCpuUs / checks).toFixed(0)],
    ['RSS MB', over(rounds, ({ engine }) => engine.rssMb).toFixed(0)],
  ])
  if (program === undefined) note('(prometheus-blackbox-exporter is not installed: its column is empty.)')
  return isMet
}

/** What scheduled checks of a monitor with these settings cost. */
export async function measureChecks(
  subject: Readonly<Record<string, unknown>> & { readonly type: string },
  checksPerSecond: number,
  options?: MonitorOptions,
): Promise<Measured> {
  using folder = temporaryFolder()
  const monitors = Math.ceil(CHECKS / CHECKS_AN_HOUR)
  const now = Date.now()
  await fillFolder(folder.path, monitors, { ...subject, intervalSeconds: INTERVAL_SECONDS }, now, options)
  const speed = (checksPerSecond * INTERVAL_SECONDS) / monitors
  await using engine = await startEngine(folder.path, now, speed)
  await engine.warmUp({ checks: WARM_UP })
  return await engine.measure({ checks: CHECKS })
}

export function subjectOf(type: Kind['type'], url: string) {
  const { hostname, port } = new URL(url)
  if (type === 'PORT') return { type, host: hostname, port: Number(port) }
  return { type: 'HTTP', url, verifySsl: false }
}
