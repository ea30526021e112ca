/**
 * The long fuzz run: `npm run fuzz`. Options after `--`:
 *   --cases 20000       how many, over all kinds and lanes
 *   --seed 42           the same cases again
 *   --minutes 10        fail after this time
 *   --kind garbage --seed 43 --path 17:0:2     one case again, as printed by a failure
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { globalSetup } from '../support/global-setup.ts'
import { startAttackedServer } from './foreign/attacked-server.ts'
import { type ForeignKind, foreignKinds, runForeignPlan } from './foreign/run.ts'
import { type Kind, kinds, runPlan } from './run.ts'
import { runningCases } from './search.ts'
import { startFuzzTarget } from './target.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string', default: `${randomInt(2 ** 31)}` },
    minutes: { type: 'string', default: '15' },
    kind: { type: 'string' },
    path: { type: 'string' },
  },
})

/** Lanes run concurrently; each is one sequence of cases. */
const LANES_PER_KIND = 4
const seed = Number(values.seed)
const limitMs = Number(values.minutes) * 60_000
type AnyKind = Kind | ForeignKind
const allKinds: readonly AnyKind[] = [...kinds, ...foreignKinds]
const chosen = allKinds.filter((kind) => values.kind === undefined || values.kind === kind)
if (chosen.length === 0) throw new Error(`--kind is one of ${allKinds.join(', ')}`)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

// Builds the program.
await globalSetup({ postgres: false })
let done = 0
const total = values.path === undefined ? Number(values.cases) : 1
const lanes = lanesOf(chosen)
say(`Seed ${seed}: ${total} cases in ${lanes.length} lanes on SQLite`)

process.on('uncaughtException', (error) => {
  say(`The run crashed, seed ${seed}; running cases:\n${fc.stringify([...runningCases])}\n${error.stack}`)
  process.exit(1)
})

const started = performance.now()
const progress = setInterval(() => {
  say(`${done} of ${total} cases, ${Math.round((performance.now() - started) / 1000)} s`)
}, 5_000)

await using world = await startFuzzTarget('sqlite')
await using attacked = await startAttackedServer()
const isForeign = (kind: AnyKind): kind is ForeignKind => foreignKinds.some((foreign) => foreign === kind)

async function runLane({ kind, seed: laneSeed, cases }: FuzzedLane) {
  const onCase = () => {
    done += 1
  }
  const plan = { seed: laneSeed, cases, path: values.path, limitMs, onCase }
  const verdict = isForeign(kind)
    ? await runForeignPlan(attacked, { ...plan, kind })
    : await runPlan(world, { ...plan, kind })
  return { kind, seed: laneSeed, ...verdict }
}

const verdicts = await Promise.all(lanes.filter(({ kind }) => kind !== 'patterns').map(runLane))
// They measure the turns of this process.
for (const lane of lanes) if (lane.kind === 'patterns') verdicts.push(await runLane(lane))
clearInterval(progress)

for (const { kind, seed: laneSeed, failure } of verdicts) {
  if (failure === undefined) continue
  process.exitCode = 1
  say(`\n${kind} failed:\n${failure.report}\n`)
  say(`Replay: npm run fuzz -- --kind ${kind} --seed ${laneSeed} --path ${failure.path}`)
}
const ran = verdicts.reduce((sum, verdict) => sum + verdict.ran, 0)
say(
  `${ran} cases in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}: ${process.exitCode ? 'FAILED' : 'passed'}`,
)

interface FuzzedLane {
  readonly kind: AnyKind
  readonly seed: number
  readonly cases: number
}

function lanesOf(of: readonly AnyKind[]): FuzzedLane[] {
  const perKind = values.path === undefined ? LANES_PER_KIND : 1
  const cases = Math.ceil(total / (of.length * perKind))
  return of.flatMap((kind, k) =>
    Array.from({ length: perKind }, (_, lane) => ({ kind, seed: seed + k * perKind + lane, cases })),
  )
}
