/**
 * All attacks of the threat model at once, and what a client of another organization notices of them.
 *   npm run bench:attacks
 * The attackers, their monitors' target and their webhook receivers run in a process of their own, the client and its target in
 * this one. All of it is on loopback; the attackers connect from 127.0.0.2, the client from 127.0.0.3.
 * BENCH_SECONDS: how long (300). BENCH_ENGINE: `sqlite` or `postgres`. BENCH_ONLY: one attack, by its name, or `none`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fillForAttacks, type Scene } from './attacks/scene.ts'
import { longestDelay, type Noticed, useAsVictim } from './attacks/victim.ts'
import { onBothEngines } from './support/engines.ts'
import { percentilesOf } from './support/figures.ts'
import { megabytesOf, pharos, root } from './support/processes.ts'
import { setting } from './support/sections.ts'
import { progress, Table, verdict } from './support/table.ts'

const SECONDS = setting('BENCH_SECONDS', 300)
const ONLY_ENGINE = process.env.BENCH_ENGINE ?? ''

/** What every attack together may do to a client of another organization. */
const GOALS = { p99Ms: 500, maxMs: 1_500, serverErrors: 0, memoryMb: 500, lateChecksMs: 5_000 }

interface Measured extends Noticed {
  /** The longest time by which a check of the client's monitors was late. */
  readonly lateMs: number
  readonly memoryMb: number
  readonly attacks: Readonly<Record<string, Readonly<Record<string, number>>>>
}

async function startTarget(): Promise<{ url: string } & Disposable> {
  const server = createServer((_request, response) => response.end('ok'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, [Symbol.dispose]: () => server.close() }
}

async function startAttackers(): Promise<Attackers> {
  const child = fork(join(root, 'bench/attacks/attackers.ts'), { cwd: root })
  // Attackers have machines of their own: they must not take the processors from the server.
  setPriority(child.pid as number, constants.priority.PRIORITY_BELOW_NORMAL)
  const ended = once(child, 'exit').then(() => {
    throw new Error('The attackers ended before they began')
  })
  const ready = (await Promise.race([once(child, 'message'), ended])) as [Pick<Scene, 'hangingUrl' | 'receiverUrls'>]
  const [{ hangingUrl, receiverUrls }] = ready
  return {
    hangingUrl,
    receiverUrls,
    attack: (origin, scene) => void child.send({ ...scene, origin }),
    async stop() {
      child.send('stop')
      const [counts] = (await once(child, 'message')) as [Measured['attacks']]
      return counts
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}

interface Attackers extends Disposable {
  readonly hangingUrl: string
  readonly receiverUrls: readonly string[]
  attack(origin: string, scene: Scene): void
  stop(): Promise<Measured['attacks']>
}

async function measure(engine: string, at: string): Promise<Measured> {
  using target = await startTarget()
  using attackers = await startAttackers()
  progress(`${engine}: creating organizations and monitors`)
  const scene = await fillForAttacks(at, { ...attackers, targetUrl: target.url })
  await using server = await pharos(at, {
    PHAROS_ROLES: 'api,checker,sender,scheduler',
    PHAROS_RATE_LIMIT: '120',
    PHAROS_PRIVATE_TARGETS: 'allow',
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_LOG_LEVEL: 'error',
  })
  // The first checks of all monitors are due at the start.
  await delay(10_000)
  progress(`${engine}: attacking for ${SECONDS} s`)
  const using = useAsVictim(server.url, scene.victim, SECONDS)
  await delay(2_000)
  attackers.attack(server.url, scene)
  const noticed = await using
  const attacks = await attackers.stop()
  const lateMs = await longestDelay(server.url, scene.victim, noticed.startedAt)
  return { ...noticed, lateMs, memoryMb: megabytesOf(server.pid, 'VmHWM'), attacks }
}

const measured = await onBothEngines(measure, ONLY_ENGINE)
const table = new Table(`A client of another organization during all attacks, ${SECONDS} s`, [
  'engine',
  ...['requests', 'p50 ms', 'p99 ms', 'max ms', 'not 2xx', '5xx', 'memory MB', 'latest check s', 'goals'],
])
for (const [name, of] of measured) {
  const { p50, p99, max } = percentilesOf(of.latenciesMs)
  const isMet =
    p99 <= GOALS.p99Ms &&
    max <= GOALS.maxMs &&
    of.serverErrors <= GOALS.serverErrors &&
    of.memoryMb <= GOALS.memoryMb &&
    of.lateMs <= GOALS.lateChecksMs
  const latencies = [p50, p99, max].map((ms) => ms.toFixed(0))
  const errors = [String(of.refused), String(of.serverErrors)]
  const late = (of.lateMs / 1000).toFixed(1)
  table.row([
    name,
    String(of.latenciesMs.length),
    ...latencies,
    ...errors,
    of.memoryMb.toFixed(0),
    late,
    verdict(isMet),
  ])
  if (!isMet) process.exitCode = 1
}
for (const [name, { attacks }] of measured) {
  const title = `Attacks on ${name}, number of answers by status (0: connection closed)`
  const answers = new Table(title, ['attack', 'answers'])
  for (const [attack, counts] of Object.entries(attacks)) {
    const byStatus = Object.entries(counts).map(([status, n]) => `${status}: ${n}`)
    answers.row([attack, byStatus.join(', ')])
  }
}
