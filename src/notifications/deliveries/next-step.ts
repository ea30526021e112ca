/**
 * `rejected`: the recipient does not exist. `gone`: the endpoint says that it does not exist any more. `refused`: it failed, and may
 * succeed later. `unreachable`: a fault of this node, or of the mail server as a whole.
 */
export type Fault = 'rejected' | 'gone' | 'refused' | 'unreachable'

/** The result of an attempt. `error` is one sentence for people. */
export type SendResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly fault: Fault; readonly error: string; readonly retryAfterMs?: number | null }

export type NextStep =
  | { readonly do: 'done' }
  | { readonly do: 'retry'; readonly inMs: number }
  /** Says nothing about the recipient: sent again soon, and not counted as an attempt. */
  | { readonly do: 'wait' }
  | { readonly do: 'giveUp' }

/** Delays vary by this share, so that messages that failed together are not retried together. */
const JITTER = 0.1

/** What follows attempt number `attempt`, from 1. `random` is in [0, 1). The delay is never shorter than `retryAfterMs`. */
export function nextStep(result: SendResult, attempt: number, delaysMs: readonly number[], random: number): NextStep {
  if (result.ok) return { do: 'done' }
  if (result.fault === 'unreachable') return { do: 'wait' }
  const delayMs = result.fault === 'refused' ? delaysMs[attempt - 1] : undefined
  if (delayMs === undefined) return { do: 'giveUp' }
  const jittered = delayMs * (1 - JITTER + 2 * JITTER * random)
  return { do: 'retry', inMs: Math.round(Math.max(jittered, result.retryAfterMs ?? 0)) }
}
