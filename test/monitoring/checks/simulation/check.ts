import assert from 'node:assert/strict'
import type { Sample } from '../../../../src/contract/probe.ts'
import type { Claim } from '../../../../src/monitoring/checks/claim.ts'
import { heartbeatSample } from '../../../../src/monitoring/checks/heartbeat.ts'
import { CLOCK_ERROR_MS } from './inspect.ts'
import type { ModelMonitor } from './model.ts'

/** A check under way. */
export interface Check {
  readonly claim: Claim
  readonly monitor: ModelMonitor
  /** The monitor's epoch when the check began. */
  readonly epoch: number
  /** A user asked for it: the schedule goes on meanwhile. */
  readonly isByHand: boolean
}

interface Surroundings {
  readonly alone: boolean
  isCurrent(check: Check): boolean
}

/** A node can begin the check of a changed monitor while an earlier one is under way; a single node waits for it. */
export function isAwaited(check: Check, world: Surroundings): boolean {
  return !check.isByHand && (world.alone || world.isCurrent(check))
}

/** The longest check, in milliseconds and as a share of the interval. */
const LONGEST_CHECK_MS = 90_000
const LONGEST_CHECK_SHARE = 0.1
/** A heartbeat check takes no time, but writing its result may. */
const LONGEST_WRITE_MS = 3_000

export function longestCheckMs({ isCron, periodMs }: ModelMonitor): number {
  return isCron ? LONGEST_WRITE_MS : Math.min(LONGEST_CHECK_MS, LONGEST_CHECK_SHARE * periodMs)
}

/** The engine's check of a heartbeat at `at`, by the node's clock, compared with the model. */
export function heartbeatSampleOf({ claim, monitor }: Check, at: number, now: number): Sample {
  assert.ok(Math.abs(at - now) <= CLOCK_ERROR_MS, `the clock of the node is ${at - now} ms off`)
  const sample = heartbeatSample(claim, at)
  const { deadline, state, reportedFailure } = monitor
  const isLate = deadline !== null && at >= deadline
  const expected = isLate ? 'failure' : deadline === null || state === 'PENDING' ? 'inconclusive' : undefined
  assert.equal(sample.outcome, expected ?? (reportedFailure ? 'failure' : 'success'))
  return sample
}
