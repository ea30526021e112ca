/**
 * CPU cost, throughput and memory of the check engine. BENCH_ONLY=http,memory runs some sections; README.md describes each.
 */
import { assertionCost } from './engine/assertions.ts'
import { cost } from './engine/cost.ts'
import { engines } from './engine/engines.ts'
import { busy, rate } from './engine/load.ts'
import { memory } from './engine/memory.ts'
import { runSections } from './support/sections.ts'

await runSections({
  http: () => cost('http'),
  https: () => cost('https'),
  port: () => cost('port'),
  assertions: assertionCost,
  engines,
  rate,
  busy,
  memory,
})
