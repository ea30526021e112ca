import type { Assertions } from '../../../contract/check-options.ts'
import type { ProbeTarget } from '../../../contract/probe.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { excerptOf } from '../../../outbound/excerpt.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import { type Attempt, type Failure, msSince } from '../attempt.ts'
import type { Observation } from './evaluate.ts'

/** Whether the whole body must be downloaded: for assertions about it, and to show it to somebody who writes assertions. */
export function needsBody({ assertions, isTrial = false }: Pick<ProbeTarget, 'assertions' | 'isTrial'>): boolean {
  if (assertions === undefined) return false
  return isTrial || assertions.assertions.some(({ source }) => source === 'JSON' || source === 'BODY')
}

/** Loaded with the first assertion: the libraries for paths and patterns cost each thread 5 MB. */
let evaluation: Promise<typeof import('./evaluate.ts')> | undefined

/** As of other failures. */
const EXCERPT_CHARS = 2048
/** How much of a body is shown to somebody who tries out settings. */
const SHOWN_BODY_CHARS = 64 * 1024

/**
 * Checks what a probe found against the monitor's assertions. An assertion that does not hold is a failure, or with the severity
 * DEGRADED a remark in the sample.
 */
export async function applyAssertions(
  assertions: Assertions | undefined,
  attempt: Attempt,
  found: Omit<Observation, 'responseMs' | 'certificateDays'>,
): Promise<Failure | null> {
  if (assertions === undefined) return null
  const { observed } = attempt
  const { certificate } = observed
  const responseMs = msSince(attempt.startedAt)
  // The time that the evaluation takes is not the target's.
  observed.responseMs = responseMs
  evaluation ??= import('./evaluate.ts')
  const { evaluateAssertions } = await evaluation
  const results = await evaluateAssertions(assertions, {
    ...found,
    responseMs,
    ...(certificate && { certificateDays: Math.floor((certificate.expiresAt - Date.now()) / DAY_MS) }),
  })
  const body = found.body?.text
  if (attempt.isTrial) {
    observed.assertions = results
    if (body !== undefined) observed.body = excerptOf(body, SHOWN_BODY_CHARS)
  }
  const errorsOf = (severity: 'DOWN' | 'DEGRADED') =>
    results
      .filter(({ holds }, i) => !holds && assertions.assertions[i]?.severity === severity)
      .map(({ error }) => error)
  const degraded = joined(errorsOf('DEGRADED'))
  if (degraded !== undefined) observed.degraded = degraded
  const error = joined(errorsOf('DOWN'))
  if (error === undefined) return null
  return {
    code: 'KEYWORD',
    kind: 'content',
    error,
    ...(body !== undefined && { excerpt: excerptOf(body, EXCERPT_CHARS) }),
  }
}

/** The first failure in full, and how many more there are. */
function joined([first, ...others]: readonly (Reason | undefined)[]): Reason | undefined {
  return first !== undefined && others.length > 0
    ? reason('more_failures', { cause: first, count: others.length })
    : first
}
