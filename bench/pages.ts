/**
 * Cost of a public status page with 50 monitors and 90 days. `render`: read from SQLite and rendered without a cache. `cached`: over
 * HTTP, compared with a bare Fastify route that returns the same bytes; fresh processes in every round, order reversed, medians.
 * `markdown`: texts that are made to be slow, compared with an ordinary text of the same length. BENCH_ONLY selects one, BENCH_ROUNDS and BENCH_SECONDS shorten them.
 */
import { gzipSync } from 'node:zlib'
import { runScript, temporaryFolder } from './support/children.ts'
import { median, percentileOf } from './support/figures.ts'
import { measure } from './support/load.ts'
import { fillWithPage, SLUG } from './support/pages.ts'
import { bareServer, pharos } from './support/processes.ts'
import { inRounds, over } from './support/rounds.ts'
import { runSections, setting } from './support/sections.ts'
import { note, percent, printRow, verdict } from './support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 5)
const SECONDS = setting('BENCH_SECONDS', 4)
const WARM_UP_SECONDS = 2
const MONITORS = 50
const DAYS = 90
const MOST_MS = 3
const LEAST_SHARE = 0.6
const MOST_GZIP_BYTES = 20 * 1024
const MOST_TIMES_ORDINARY = 5

interface Times {
  readonly read: readonly number[]
  readonly draw: readonly number[]
  readonly both: readonly number[]
}

async function render(): Promise<boolean> {
  using folder = temporaryFolder()
  await fillWithPage(folder.path, MONITORS, DAYS)
  const rounds = await inRounds(ROUNDS, { ours: () => runScript<Times>('render.ts', [folder.path, 300]) })
  const bothMs = over(rounds, ({ ours }) => median(ours.both))
  printRow(`Read and drawn with nothing kept: ${MONITORS} monitors, ${DAYS} days, ${ROUNDS} rounds`, [
    ['', 'median of rounds'],
    ['read ms', over(rounds, ({ ours }) => median(ours.read)).toFixed(2)],
    ['draw ms', over(rounds, ({ ours }) => median(ours.draw)).toFixed(2)],
    ['both ms', bothMs.toFixed(2)],
    ['goal', `≤ ${MOST_MS}`],
    ['', verdict(bothMs <= MOST_MS)],
    ['both p99 ms', over(rounds, ({ ours }) => percentileOf(ours.both, 0.99)).toFixed(2)],
  ])
  return bothMs <= MOST_MS
}

async function cached(): Promise<boolean> {
  using folder = temporaryFolder()
  await fillWithPage(folder.path, MONITORS, DAYS)
  const load = { path: `/status/${SLUG}`, connections: 32 }
  let page = ''
  {
    await using ours = await pharos(folder.path)
    page = await (await fetch(`${ours.url}${load.path}`)).text()
  }
  const routes = { 'GET /status/:slug': ['text/html; charset=utf-8', page] } as const
  const rounds = await inRounds(ROUNDS, {
    async bare() {
      await using bare = await bareServer(folder.path, routes)
      return await measure(bare, load, SECONDS, WARM_UP_SECONDS)
    },
    async ours() {
      await using ours = await pharos(folder.path)
      return await measure(ours, load, SECONDS, WARM_UP_SECONDS)
    },
  })
  const ratio = over(rounds, ({ bare, ours }) => ours.perSecond / bare.perSecond)
  printRow(`Served from memory, against a bare route: ${ROUNDS} rounds of ${SECONDS} s`, [
    ['', 'status page'],
    ['bare/s', over(rounds, ({ bare }) => bare.perSecond).toFixed(0)],
    ['ours/s', over(rounds, ({ ours }) => ours.perSecond).toFixed(0)],
    ['ratio', percent(ratio)],
    ['goal', `≥ ${percent(LEAST_SHARE)}`],
    ['', verdict(ratio >= LEAST_SHARE)],
    ['CPU ratio', percent(over(rounds, ({ bare, ours }) => bare.cpuUs / ours.cpuUs))],
    ['p99 bare ms', over(rounds, ({ bare }) => bare.p99Ms).toFixed(0)],
    ['p99 ours ms', over(rounds, ({ ours }) => ours.p99Ms).toFixed(0)],
  ])
  const gzipBytes = gzipSync(page).length
  const isSmall = gzipBytes <= MOST_GZIP_BYTES
  note(`The page is ${gzipBytes} bytes in gzip, at most ${MOST_GZIP_BYTES}: ${verdict(isSmall)}`)
  return ratio >= LEAST_SHARE && isSmall
}

interface MarkdownTimes {
  readonly ordinary: number
  readonly slow: Readonly<Record<string, number>>
}

async function markdown(): Promise<boolean> {
  const rounds = await inRounds(ROUNDS, { ours: () => runScript<MarkdownTimes>('markdown.ts', []) })
  const slowestOf = ({ slow }: MarkdownTimes) => Object.entries(slow).toSorted(([, a], [, b]) => b - a)[0]
  const ratio = over(rounds, ({ ours }) => (slowestOf(ours)?.[1] ?? Number.NaN) / ours.ordinary)
  printRow(`Markdown of 50,000 characters, ${ROUNDS} rounds`, [
    ['slowest text', rounds.map(({ ours }) => slowestOf(ours)?.[0])[0] ?? ''],
    ['ordinary ms', over(rounds, ({ ours }) => ours.ordinary).toFixed(1)],
    ['slowest ms', over(rounds, ({ ours }) => slowestOf(ours)?.[1] ?? Number.NaN).toFixed(1)],
    ['ratio', ratio.toFixed(1)],
    ['goal', `≤ ${MOST_TIMES_ORDINARY}`],
    ['', verdict(ratio <= MOST_TIMES_ORDINARY)],
  ])
  return ratio <= MOST_TIMES_ORDINARY
}

await runSections({ render, cached, markdown })
