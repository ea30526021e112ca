/**
 * Cost of claims, day bars and result writes in a large database. BENCH_ONLY=bars runs one section; README.md describes each.
 */
import { bars } from './storage/bars.ts'
import { claims } from './storage/claims.ts'
import { writes } from './storage/writes.ts'
import { runSections } from './support/sections.ts'

await runSections({ claims, bars, writes })
