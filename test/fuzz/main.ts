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
import { type Kind, kinds, runningCases, runPlan } from './run.ts'
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
const chosen = kinds.filter((kind) => values.kind === undefined || values.kind === kind)
if (chosen.length === 0) throw new Error(`--kind is one of ${kinds.join(', ')}`)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

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
const verdicts = await Promise.all(
  lanes.map(async ({ kind, seed: laneSeed, cases }) => {
    const onCase = () => {
      done += 1
    }
    const verdict = await runPlan(world, { kind, seed: laneSeed, cases, path: values.path, limitMs, onCase })
    return { kind, seed: laneSeed, ...verdict }
  }),
)
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

function lanesOf(of: readonly Kind[]): { kind: Kind; seed: number; cases: number }[] {
  const perKind = values.path === undefined ? LANES_PER_KIND : 1
  const cases = Math.ceil(total / (of.length * perKind))
  return of.flatMap((kind, k) =>
    Array.from({ length: perKind }, (_, lane) => ({ kind, seed: seed + k * perKind + lane, cases })),
  )
}
