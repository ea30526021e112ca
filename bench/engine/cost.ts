import type { MonitorOptions } from '../../src/contract/check-options.ts'
import { findBlackbox, measureBlackbox } from '../support/blackbox.ts'
import { runScript, startEngine, startTargets, type Targets, temporaryFolder } from '../support/children.ts'
import type { Measured } from '../support/engine.ts'
import { median } from '../support/load.ts'
import { fillFolder } from '../support/monitors.ts'
import { setting } from '../support/sections.ts'
import { note, progress, Table, verdict } from '../support/table.ts'

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

interface Round {
  readonly bare: Bare
  readonly engine: Measured
  readonly blackboxUs: number | undefined
}

/** CPU time of a complete scheduled check, compared with Node's client at the same number of requests per second. */
export async function cost(name: keyof typeof kinds): Promise<boolean> {
  const { type, goal, checksPerSecond } = kinds[name]
  await using targets = await startTargets()
  const rounds: Round[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    progress(`${type}: round ${i + 1} of ${ROUNDS}`)
    rounds.push(await round(kinds[name], targets, i % 2 === 0))
  }
  progress('')
  const ratio = median(rounds.map(({ bare, engine }) => engine.cpuUs / engine.checks / bare.cpuUs))
  const isMet = ratio <= goal
  const exporter = rounds.flatMap(({ blackboxUs }) => blackboxUs ?? [])
  const engines = rounds.map(({ engine }) => engine)
  new Table(
    `CPU time per ${type} check: ${CHECKS} checks a side at ${checksPerSecond} a second, ${ROUNDS} rounds, Node ${process.version}`,
    [
      '',
      'bare µs',
      'check µs',
      'ratio',
      'goal',
      '',
      'bare flat out µs',
      'blackbox_exporter µs',
      'main thread µs',
      'RSS MB',
    ],
  ).row([
    type,
    median(rounds.map(({ bare }) => bare.cpuUs)).toFixed(0),
    median(engines.map(({ cpuUs, checks }) => cpuUs / checks)).toFixed(0),
    ratio.toFixed(2),
    `≤ ${goal.toFixed(2)}`,
    verdict(isMet),
    median(rounds.map(({ bare }) => bare.flatOutUs)).toFixed(0),
    exporter.length === 0 ? '-' : median(exporter).toFixed(0),
    median(engines.map(({ mainThreadCpuUs, checks }) => mainThreadCpuUs / checks)).toFixed(0),
    median(engines.map(({ rssMb }) => rssMb)).toFixed(0),
  ])
  if (exporter.length === 0) note('(prometheus-blackbox-exporter is not installed: its column is empty.)')
  return isMet
}

async function round(kind: Kind, targets: Targets, bareFirst: boolean): Promise<Round> {
  const url = kind.type === 'HTTPS' ? targets.secure : targets.plain
  const program = findBlackbox()
  const bare = () => runScript<Bare>('bare-probe.ts', [kind.type, url, CHECKS, WARM_UP, kind.checksPerSecond])
  const exporter = async () => program && measureBlackbox(program, kind.type, url, BLACKBOX_PROBES)
  const sides: { bare?: Bare; engine?: Measured } = {}
  const order = [
    async () => {
      sides.bare = await bare()
    },
    async () => {
      sides.engine = await measureChecks(subjectOf(kind.type, url), kind.checksPerSecond)
    },
  ]
  for (const side of bareFirst ? order : order.reverse()) await side()
  return { ...(sides as { bare: Bare; engine: Measured }), blackboxUs: (await exporter()) || undefined }
}

/** What scheduled checks of a monitor with these settings cost. */
export async function measureChecks(
  subject: Readonly<Record<string, unknown>> & { readonly type: string },
  checksPerSecond: number,
  options: MonitorOptions = {},
): Promise<Measured> {
  using folder = temporaryFolder()
  const monitors = Math.ceil(CHECKS / CHECKS_AN_HOUR)
  const now = Date.now()
  await fillFolder(folder.path, monitors, { ...subject, intervalSeconds: INTERVAL_SECONDS }, now, options)
  const speed = (checksPerSecond * INTERVAL_SECONDS) / monitors
  await using engine = await startEngine(folder.path, now, speed)
  await engine.measure({ checks: WARM_UP })
  const measured = await engine.measure({ checks: CHECKS })
  if (measured.notUp > 0) throw new Error(`${measured.notUp} of ${monitors} monitors are not up`)
  return measured
}

export function subjectOf(type: Kind['type'], url: string) {
  const { hostname, port } = new URL(url)
  if (type === 'PORT') return { type, host: hostname, port: Number(port) }
  return { type: 'HTTP', url, verifySsl: false }
}
