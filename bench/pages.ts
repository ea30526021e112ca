/**
 * Cost of a public status page with 50 monitors and 90 days. `render`: read from SQLite and rendered without a cache. `cached`: over
 * HTTP, compared with a bare Fastify route that returns the same bytes; fresh processes in every round, order reversed, medians.
 * `markdown`: texts that are made to be slow, compared with an ordinary text of the same length. BENCH_ONLY selects one, BENCH_ROUNDS and BENCH_SECONDS shorten them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runScript, temporaryFolder } from './support/children.ts'
import { measure, median } from './support/load.ts'
import { fillWithPage, SLUG } from './support/pages.ts'
import { cpuUsOf, pharos, root, type Server, startProcess } from './support/processes.ts'
import { runSections, setting } from './support/sections.ts'
import { note, percentileOf, Table, verdict } from './support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 5)
const SECONDS = setting('BENCH_SECONDS', 4)
const CONNECTIONS = 32
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
  const table = new Table(`Read and drawn with nothing kept: ${MONITORS} monitors, ${DAYS} days`, [
    'round',
    'read p50',
    'draw p50',
    'both p50',
    'both p99',
  ])
  const ms = (values: readonly number[], share: number): string => `${percentileOf(values, share).toFixed(2)} ms`
  const medians: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { read, draw, both } = await runScript<Times>('render.ts', [folder.path, 300])
    medians.push(median(both))
    table.row([`${round}`, ms(read, 0.5), ms(draw, 0.5), ms(both, 0.5), ms(both, 0.99)])
  }
  const isMet = median(medians) <= MOST_MS
  note(`Median ${median(medians).toFixed(2)} ms, at most ${MOST_MS} ms: ${verdict(isMet)}`)
  return isMet
}

async function cached(): Promise<boolean> {
  using folder = temporaryFolder()
  await fillWithPage(folder.path, MONITORS, DAYS)
  const table = new Table('Served from memory, against a bare route', [
    'round',
    'bare/s',
    'ours/s',
    'ratio',
    'CPU ratio',
    'p99 bare',
    'p99 ours',
  ])
  const ratios: number[] = []
  let gzipBytes = 0
  for (let round = 1; round <= ROUNDS; round += 1) {
    await using ours = await pharos(folder.path)
    const bytes = await (await fetch(`${ours.url}/status/${SLUG}`)).text()
    gzipBytes = gzipSync(bytes).length
    const file = join(folder.path, 'page.html')
    writeFileSync(file, bytes)
    await using bare = await startProcess([join(root, 'bench/support/bare-page.ts'), file], {})
    const sides: { bare?: Timed; ours?: Timed } = {}
    for (const side of round % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const)) {
      sides[side] = await timed(side === 'bare' ? bare : ours)
    }
    const { bare: foreign, ours: mine } = sides as { bare: Timed; ours: Timed }
    ratios.push(mine.perSecond / foreign.perSecond)
    table.row([
      `${round}`,
      foreign.perSecond.toFixed(0),
      mine.perSecond.toFixed(0),
      `${(100 * (mine.perSecond / foreign.perSecond)).toFixed(0)} %`,
      `${(100 * (foreign.cpuUs / mine.cpuUs)).toFixed(0)} %`,
      `${foreign.p99Ms} ms`,
      `${mine.p99Ms} ms`,
    ])
  }
  const isFast = median(ratios) >= LEAST_SHARE
  const isSmall = gzipBytes <= MOST_GZIP_BYTES
  note(`Median ${(100 * median(ratios)).toFixed(0)} %, at least ${100 * LEAST_SHARE} %: ${verdict(isFast)}`)
  note(`The page is ${gzipBytes} bytes in gzip, at most ${MOST_GZIP_BYTES}: ${verdict(isSmall)}`)
  return isFast && isSmall
}

interface MarkdownTimes {
  readonly ordinary: number
  readonly slow: Readonly<Record<string, number>>
}

async function markdown(): Promise<boolean> {
  const table = new Table('Markdown of 50,000 characters', ['round', 'ordinary', 'slowest', 'ratio', 'slowest text'])
  const ratios: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { ordinary, slow } = await runScript<MarkdownTimes>('markdown.ts', [])
    const [name, ms] = Object.entries(slow).reduce((most, entry) => (entry[1] > most[1] ? entry : most))
    ratios.push(ms / ordinary)
    table.row([`${round}`, `${ordinary.toFixed(1)} ms`, `${ms.toFixed(1)} ms`, `${(ms / ordinary).toFixed(1)}`, name])
  }
  const isMet = median(ratios) <= MOST_TIMES_ORDINARY
  note(`Median ${median(ratios).toFixed(1)} times an ordinary text, at most ${MOST_TIMES_ORDINARY}: ${verdict(isMet)}`)
  return isMet
}

type Timed = Awaited<ReturnType<typeof measure>> & { readonly cpuUs: number }

async function timed({ url, pid }: Server): Promise<Timed> {
  const load = { url: `${url}/status/${SLUG}`, connections: CONNECTIONS }
  await measure({ ...load, seconds: 2 })
  const before = cpuUsOf(pid) ?? Number.NaN
  const measured = await measure({ ...load, seconds: SECONDS })
  return { ...measured, cpuUs: ((cpuUsOf(pid) ?? Number.NaN) - before) / measured.answers }
}

await runSections({ render, cached, markdown })
