import { SECOND_MS } from '../../lib/clock.ts'

/** What follows an attempt. */
export type NextStep =
  | { readonly do: 'done' }
  | { readonly do: 'retry'; readonly inMs: number }
  | { readonly do: 'giveUp' }

export interface Tried {
  /** Which attempt it was, counted from 1. */
  readonly number: number
  /** Somebody asked for it: it is one attempt, whatever comes of it. */
  readonly manual: boolean
  readonly succeeded: boolean
  /** How long the receiver asked us to wait. */
  readonly retryAfterMs: number | null
}

/** The delays between attempts are made this much longer or shorter, so that what failed together is not tried together. */
const JITTER = 0.1

/** `delaysSeconds` are those before each attempt, the first one's included; `random` is from 0 up to 1. */
export function nextStep(tried: Tried, delaysSeconds: readonly number[], random: number): NextStep {
  if (tried.succeeded) return { do: 'done' }
  const delaySeconds = delaysSeconds[tried.number]
  if (tried.manual || delaySeconds === undefined) return { do: 'giveUp' }
  const jittered = delaySeconds * SECOND_MS * (1 - JITTER + 2 * JITTER * random)
  return { do: 'retry', inMs: Math.round(Math.max(jittered, tried.retryAfterMs ?? 0)) }
}
