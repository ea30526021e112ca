import fc from 'fast-check'

/** Fixed, so that everybody's run is the same; `npm run fuzz` draws a new one each time. */
export const SEED = 20_260_101
/** Bounds a run that makes no progress; no run takes so long. */
export const LIMIT_MS = 10 * 60_000

export interface SearchPlan {
  readonly seed: number
  readonly cases: number
  /** Replays one case of a run with this seed. */
  readonly path?: string | undefined
  readonly limitMs: number
  /** Called after every case. */
  readonly onCase?: () => void
}

export interface SearchResult {
  readonly ran: number
  /** Absent if no case failed. */
  readonly failure?: { readonly path: string; readonly report: string }
}

/** The cases that are running; if the process crashes, one of them is the cause. */
export const runningCases = new Set<unknown>()

/** Of a case in a report. Some have megabytes. */
const MAX_SHOWN = 5_000

/** Runs the cases one after the other. The first failure ends the run. `shrinks`: it is reduced to a minimal case. */
export async function search<T>(
  plan: SearchPlan,
  created: fc.Arbitrary<T>,
  hold: (created: T) => Promise<void>,
  { shrinks = true } = {},
): Promise<SearchResult> {
  const { seed, cases, path, limitMs, onCase } = plan
  const property = fc.asyncProperty(created, async (one) => {
    runningCases.add(one)
    await hold(one).finally(() => runningCases.delete(one))
    onCase?.()
  })
  const verdict = await fc.check(property, {
    seed,
    numRuns: cases,
    endOnFailure: !shrinks || path !== undefined,
    ...(path === undefined ? {} : { path }),
    interruptAfterTimeLimit: limitMs,
    markInterruptAsFailure: true,
  })
  if (!verdict.failed) return { ran: verdict.numRuns }
  const { counterexample, counterexamplePath, errorInstance, numRuns } = verdict
  const fault = errorInstance instanceof Error ? errorInstance.stack : errorInstance
  const report =
    counterexample === null
      ? `Interrupted after ${limitMs} ms`
      : `${fc.stringify(counterexample).slice(0, MAX_SHOWN)}\n${fault}`
  return { ran: numRuns, failure: { path: counterexamplePath ?? '', report } }
}
