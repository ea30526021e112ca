/**
 * What a complete scheduled check costs (claim, probe, judge, persist, roll-up) against Node's own client in a loop, in CPU
 * time per check. One run, fresh processes, the order reversed from round to round, medians, ratios.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from './support/load.ts'
import { root } from './support/processes.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const CHECKS = Number(process.env.BENCH_CHECKS ?? 30_000)

interface Engine {
  readonly cpuUs: number
  readonly perSecond: number
  readonly mainThreadBusy: number
  readonly rssMb: number
  readonly upOf100: number
}

interface Case {
  readonly type: 'HTTP' | 'HTTPS' | 'PORT'
  readonly goal: number
  readonly monitors: number
  /** How much faster than the wall the engine's clock runs: sets how many checks a second are due. */
  readonly speed: number
}

const cases: readonly Case[] = [
  { type: 'HTTP', goal: 1.25, monitors: 3000, speed: 20 },
  { type: 'HTTPS', goal: 1.2, monitors: 3000, speed: 3 },
  { type: 'PORT', goal: 1.5, monitors: 3000, speed: 20 },
]

const run = promisify(execFile)

async function json<T>(script: string, args: readonly (string | number)[]): Promise<T> {
  const file = join(root, 'bench/support', script)
  const { stdout } = await run(process.execPath, [file, ...args.map(String)], { cwd: root, maxBuffer: 1 << 20 })
  return JSON.parse(stdout) as T
}

const target = spawn(process.execPath, [join(root, 'bench/support/target.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const [line] = (await once(target.stdout, 'data')) as [Buffer]
  const [plain = '', secure = ''] = line.toString().trim().split(' ')
  process.stdout.write(`Node ${process.version}, ${CHECKS} checks a side, ${ROUNDS} rounds\n\n`)
  process.stdout.write('         bare µs   check µs    ratio    goal   checks/s   main thread busy     RSS\n')
  for (const { type, goal, monitors, speed } of cases) {
    const url = type === 'HTTPS' ? secure : plain
    // HTTPS is an HTTP monitor with another address.
    const checked = ['engine.ts', [type === 'HTTPS' ? 'HTTP' : type, url, CHECKS, monitors, speed]] as const
    const rounds: { bare: number; engine: Engine }[] = []
    for (let i = 0; i < ROUNDS; i += 1) {
      const bareFirst = i % 2 === 0
      const early = bareFirst ? await json<{ cpuUs: number }>('bare-probe.ts', [type, url, CHECKS]) : undefined
      const engine = await json<Engine>(...checked)
      const bare = early ?? (await json<{ cpuUs: number }>('bare-probe.ts', [type, url, CHECKS]))
      if (engine.upOf100 < 100) throw new Error(`Only ${engine.upOf100} of 100 monitors are up`)
      rounds.push({ bare: bare.cpuUs, engine })
    }
    const ratio = median(rounds.map(({ bare, engine }) => engine.cpuUs / bare))
    if (ratio > goal) process.exitCode = 1
    const cells = [
      type.padEnd(6),
      median(rounds.map(({ bare }) => bare))
        .toFixed(0)
        .padStart(9),
      median(rounds.map(({ engine }) => engine.cpuUs))
        .toFixed(0)
        .padStart(10),
      ratio.toFixed(2).padStart(8),
      goal.toFixed(2).padStart(7),
      median(rounds.map(({ engine }) => engine.perSecond))
        .toFixed(0)
        .padStart(10),
      `${(100 * median(rounds.map(({ engine }) => engine.mainThreadBusy))).toFixed(0)} %`.padStart(18),
      `${median(rounds.map(({ engine }) => engine.rssMb)).toFixed(0)} MB`.padStart(7),
    ]
    process.stdout.write(`${cells.join(' ')}\n`)
  }
} finally {
  target.kill()
}
