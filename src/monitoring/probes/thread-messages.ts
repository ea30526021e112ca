/**
 * Messages between the main thread and a probe thread: JSON arrays of jobs one way and of results the other way, because copying one
 * string costs less than structured cloning of many small objects. An array of job ids cancels those jobs.
 */
import type { ProbeTarget, Sample } from '../../contract/probe.ts'

export interface ProbeJob {
  readonly id: number
  readonly type: string
  readonly target: ProbeTarget
}

export type ProbeResult = readonly [id: number, sample: Sample]
