/**
 * What the check engine costs, bears and holds. Every section can run alone (BENCH_ONLY=http,memory); see README.md for what
 * each measures.
 */
import { cost } from './engine/cost.ts'
import { busy, rate } from './engine/load.ts'
import { memory } from './engine/memory.ts'
import { runSections } from './support/sections.ts'

await runSections({
  http: () => cost('http'),
  https: () => cost('https'),
  port: () => cost('port'),
  rate,
  busy,
  memory,
})
