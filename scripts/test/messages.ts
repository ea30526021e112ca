/** From the runner to a worker: run this file. The worker ends when the channel closes. */
export interface FileRequest {
  readonly file: string
  readonly namePatterns: readonly string[]
  readonly skipPatterns: readonly string[]
  /** A file that keeps the event loop alive for this long after its last test fails. */
  readonly leakAfterMs: number
}

/** How many tests of a file ended how, as node:test counts them. */
export interface Counts {
  readonly tests: number
  readonly suites: number
  readonly passed: number
  readonly failed: number
  readonly cancelled: number
  readonly skipped: number
  readonly todo: number
}

/** From a worker to the runner: a piece of the report, then the result of the file. */
export type WorkerMessage = { readonly text: string } | FileResult

export interface FileResult {
  readonly counts: Counts
  readonly isSuccess: boolean
  /** Failed tests, each with the suites around it. */
  readonly failures: readonly string[]
  /** What tests said with `t.diagnostic`. */
  readonly notes: readonly string[]
  /** CPU time of the worker's threads while the file ran; processes that it started are not included. */
  readonly cpuMs: number
}

export const noCounts: Counts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }

/** The result of a file with its report. */
export interface FileReport extends FileResult {
  readonly file: string
  readonly wallMs: number
  readonly text: string
}
