import type { PreviousSet, SeenSet } from '../probes/dns/record-changes.ts'
import { histogramIn } from './histogram.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** Heartbeats of a CRON monitor. */
export interface Beats {
  /** The deadline counts from it: the last success; after a resume, or a failure as the first word, that moment. */
  readonly lastSuccessAt: number | null
  /** When runs that have not ended yet began, by their run id; the latest few. */
  readonly started: Readonly<Record<string, number>>
  /** The job's latest word was that it had failed. */
  readonly failed: boolean
}

/** Sets of records that a DNS monitor's name had within the last day, and the one it had last. */
export interface RecordMemory {
  readonly history: readonly SeenSet[]
  readonly previous: PreviousSet
}

/** What is remembered of a monitor from check to check. */
export interface Memory {
  /** Response times of the latest successes, oldest first: what DEGRADED is judged by. */
  readonly samples: readonly number[]
  readonly ledger: Ledger
  /** The certificate or registration whose expiry was already announced. */
  readonly announced: string | null
  readonly beats: Beats
  readonly records: RecordMemory | null
}

const noBeats: Beats = { lastSuccessAt: null, started: {}, failed: false }

/** As it is stored: what is empty is left out, and the account, which every check rewrites, is a row of numbers. */
interface Stored extends Partial<Omit<Memory, 'ledger'>> {
  readonly account?: ReturnType<typeof accountOf>
  /** The account as it was stored before; gone after the next check. */
  readonly ledger?: Ledger
}

/** What was stored; `now` opens the account of a new monitor. */
export function readMemory(text: string, now: number): Memory {
  const { samples, account, ledger, announced, beats, records } = JSON.parse(text) as Stored
  return {
    samples: samples ?? [],
    ledger: account !== undefined ? ledgerIn(account) : ledger !== undefined ? modern(ledger) : openLedger(now),
    announced: announced ?? null,
    beats: { ...noBeats, ...beats },
    records: records ?? null,
  }
}

export function memoryText({ samples, ledger, announced, beats, records }: Memory): string {
  const hasBeats = beats.lastSuccessAt !== null || Object.keys(beats.started).length > 0
  const stored: Stored = {
    account: accountOf(ledger),
    ...(samples.length > 0 && { samples }),
    ...(announced !== null && { announced }),
    ...(hasBeats && { beats }),
    ...(records !== null && { records }),
  }
  return JSON.stringify(stored)
}

function accountOf({ until, hour, tally }: Ledger) {
  const { upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses } = tally
  return [until, hour, upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses] as const
}

function ledgerIn(account: ReturnType<typeof accountOf>): Ledger {
  const [until, hour, upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses] = account
  const tally = { upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses }
  return { until, hour, tally }
}

function modern(ledger: Ledger): Ledger {
  return { ...ledger, tally: { ...ledger.tally, responses: histogramIn(ledger.tally.responses) } }
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
