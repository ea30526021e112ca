/**
 * What the schedule and the history cost in a large database. Every section can run alone (BENCH_ONLY=bars); see README.md for
 * what each measures.
 */
import { bars } from './storage/bars.ts'
import { claims } from './storage/claims.ts'
import { writes } from './storage/writes.ts'
import { runSections } from './support/sections.ts'

await runSections({ claims, bars, writes })
