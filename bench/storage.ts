/**
 * Cost of claims, day bars, pages of checks, and the monitor list, in a large database. BENCH_ONLY=bars runs one section; README.md describes each.
 */
import { bars } from './storage/bars.ts'
import { checks } from './storage/checks.ts'
import { claims } from './storage/claims.ts'
import { lists } from './storage/lists.ts'
import { runSections } from './support/sections.ts'

await runSections({ claims, bars, checks, lists })
