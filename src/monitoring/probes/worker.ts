/** The thread that probes: it is handed jobs in batches and hands samples back in batches, both as JSON. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Stop, Stopper } from '../../outbound/stop.ts'
import { type Confirming, confirmed } from './confirm.ts'
import { createProbes, type ProbeSettings } from './index.ts'
import { type Job, ShownTargets } from './known-targets.ts'
import type { Sample, Target } from './probe.ts'
import { createSentinels } from './sentinels.ts'
import { StallMeter } from './stall.ts'

interface Errand {
  readonly id: number
  readonly type: string
  readonly target: Target
}

export type Done = readonly [id: number, sample: Sample]

/** A failure that was measured while this thread stood still for so long is nobody's. */
const STALL_MS = 500
/**
 * How long a sample waits for company while more is under way: a message wakes the other thread, which costs more than what is
 * in it.
 */
const COMPANY_MS = 20
/**
 * How many looks begin in one turn of the event loop. What is due comes in bursts of hundreds; begun all at once, each answer
 * would wait behind all connects and be measured with that wait, and the garbage collector would copy the whole crowd.
 */
const MOST_AT_ONCE = 24

const settings = workerData as ProbeSettings
const look = createProbes(settings)
const stalls = new StallMeter(STALL_MS)
const hasNetwork = createSentinels(settings.sentinels)
const shown = new ShownTargets()
/** By the number of their errand: a few hundred in use at a time, and the same ones again and again (see pool.ts). */
const running: (Stopper | undefined)[] = []
let underWay = 0

const cancelled: Sample = { outcome: 'inconclusive', reason: 'The check was cancelled' }

let finished: Done[] = []

let company: NodeJS.Timeout | undefined

function hand(done: Done): void {
  finished.push(done)
  if (underWay + waiting.length === 0) {
    stalls.rest()
    handOver()
  } else company ??= setTimeout(handOver, COMPANY_MS)
}

function handOver(): void {
  clearTimeout(company)
  company = undefined
  parentPort?.postMessage(JSON.stringify(finished))
  finished = []
}

function pause(ms: number, signal: Stop): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}

/** Ways to look, by type; made once, for every check needs one. */
const ways = new Map<string, Confirming>()

function wayOf(type: string): Confirming {
  let way = ways.get(type)
  if (way === undefined) {
    way = { look: (at, signal) => look(type, at, signal), delaysSeconds: settings.confirmDelaysSeconds, pause }
    ways.set(type, way)
  }
  return way
}

async function run({ id, type, target }: Errand): Promise<void> {
  const startedAt = performance.now()
  const stopper = new Stopper()
  running[id] = stopper
  underWay += 1
  stalls.watch()
  let sample: Sample
  try {
    sample = await confirmed(wayOf(type), target, stopper)
    if (isDoubtful(sample)) sample = await doubted(sample, startedAt)
  } catch (error) {
    sample = { outcome: 'inconclusive', reason: `The probe failed: ${(error as Error).message}` }
  }
  running[id] = undefined
  underWay -= 1
  hand([id, sample])
}

/** Only what was not reached: wrong content was. */
function isDoubtful(sample: Sample): boolean {
  return sample.outcome === 'failure' && sample.kind !== 'content'
}

/** A target that was not reached may be down, or we may be: what speaks for the latter makes the check inconclusive. */
async function doubted(sample: Sample, startedAt: number): Promise<Sample> {
  const stalledMs = stalls.longestSince(startedAt)
  if (stalledMs >= STALL_MS) {
    return { outcome: 'inconclusive', reason: `The probe's thread stood still for ${Math.round(stalledMs)} ms` }
  }
  if (await hasNetwork()) return sample
  return { outcome: 'inconclusive', reason: 'None of the sentinel hosts can be reached from here' }
}

let waiting: Errand[] = []
let isBeginning = false

function begin(): void {
  for (const errand of waiting.splice(0, MOST_AT_ONCE)) void run(errand)
  isBeginning = waiting.length > 0
  if (isBeginning) setImmediate(begin)
}

/** Jobs come as text, the numbers of those to break off as a list. */
parentPort?.on('message', (message: string | readonly number[]) => {
  if (typeof message === 'string') {
    for (const job of JSON.parse(message) as readonly Job[]) {
      waiting.push({ id: job[0], type: job[1], target: shown.targetOf(job) })
    }
    if (!isBeginning) begin()
    return
  }
  const aborted = new Set(message)
  for (const { id } of waiting) if (aborted.has(id)) hand([id, cancelled])
  waiting = waiting.filter(({ id }) => !aborted.has(id))
  for (const id of aborted) running[id]?.abort(new Error('The check was cancelled'))
})
