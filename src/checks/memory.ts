import type { PreviousSet, SeenSet } from '../probes/dns/change.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** One line of a monitor's check log. */
export interface RecentResult {
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
  /** Why it failed, in words. */
  readonly error?: string
}

/** Heartbeats of a CRON monitor. */
export interface Beats {
  /** The deadline counts from it: the last success; after a resume, or a failure as the first word, that moment. */
  readonly lastSuccessAt: number | null
  /** When runs that have not ended yet began, by their run id; the latest few. */
  readonly started: Readonly<Record<string, number>>
}

/** Sets of records that a DNS monitor's name had within the last day, and the one it had last. */
export interface RecordMemory {
  readonly history: readonly SeenSet[]
  readonly previous: PreviousSet
}

/** A line of the log as it is stored: [at, state, response time, error]. */
type StoredResult = readonly [number, RecentResult['state'], number | null, string?]

/** What is remembered of a monitor from check to check. */
export interface Memory {
  /** Response times of the latest successes, oldest first: what DEGRADED is judged by. */
  readonly samples: readonly number[]
  /** The latest results, newest first (see `recentOf`). */
  readonly recent: readonly StoredResult[]
  readonly ledger: Ledger
  /** The certificate or registration whose expiry was already announced. */
  readonly announced: string | null
  readonly beats: Beats
  readonly records: RecordMemory | null
}

export const RECENT_RESULTS = 30

const noBeats: Beats = { lastSuccessAt: null, started: {} }

/** What was stored, with what a younger version has added since left empty; `now` opens the account of a new monitor. */
export function readMemory(text: string, now: number): Memory {
  const stored = JSON.parse(text) as Partial<Memory>
  return {
    samples: stored.samples ?? [],
    recent: stored.recent ?? [],
    ledger: stored.ledger ?? openLedger(now),
    announced: stored.announced ?? null,
    beats: stored.beats ?? noBeats,
    records: stored.records ?? null,
  }
}

export function memoryText(memory: Memory): string {
  return JSON.stringify(memory)
}

/**
 * After a resume or a new target nothing that was measured before counts any more. What was announced stays announced:
 * it names its certificate, and another target has another one.
 */
export function afresh(memory: Memory): Memory {
  return { ...memory, samples: [], records: null }
}

/** A monitor of another type waits for its first heartbeat, whatever came when it was a CRON monitor before. */
export function asAnotherType(memory: Memory): Memory {
  return { ...afresh(memory), beats: noBeats }
}

export function withResult(memory: Memory, { at, state, responseMs, error }: RecentResult): Memory {
  const stored: StoredResult =
    error === undefined ? [at, state, responseMs] : [at, state, responseMs, error.slice(0, LONGEST_ERROR)]
  return { ...memory, recent: [stored, ...memory.recent.slice(0, RECENT_RESULTS - 1)] }
}

const LONGEST_ERROR = 200

export function recentOf({ recent }: Memory): RecentResult[] {
  return recent.map(([at, state, responseMs, error]) => ({
    at,
    state,
    responseMs,
    ...(error !== undefined && { error }),
  }))
}
