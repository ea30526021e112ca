import type { PreviousRecordSet, SeenRecordSet } from '../probes/dns/record-changes.ts'
import { type Histogram, histogramIn } from './histogram.ts'
import { type Ledger, openLedger, type UptimeTotals } from './ledger.ts'

/** Heartbeats of a CRON monitor. */
export interface HeartbeatMemory {
  /** The deadline counts from here: the last success, the resume after a pause, or a failure that came first of all. */
  readonly lastSuccessAt: number | null
  /** Start times of the latest runs that have not ended, by run id. */
  readonly started: Readonly<Record<string, number>>
  /** Whether the latest report was a failure. */
  readonly failed: boolean
}

/** Record sets that a DNS monitor's name had within the last day, and the latest one. */
export interface DnsRecordMemory {
  readonly history: readonly SeenRecordSet[]
  readonly previous: PreviousRecordSet
}

/** What one check needs to know of the checks before it. */
export interface Memory {
  /** Response times of the latest successes, oldest first: DEGRADED is judged by them. */
  readonly samples: readonly number[]
  readonly ledger: Ledger
  /** Fingerprint of the certificate or registration whose expiry was already announced. */
  readonly announcedExpiry: string | null
  readonly heartbeats: HeartbeatMemory
  readonly records: DnsRecordMemory | null
  /** Key of the details that are stored (monitor-details); null if the next check must store them. */
  readonly details: string | null
  /** The newest lines of the check log, which the stored log does not have yet (see recent-log.ts). */
  readonly newLines: string
}

const noHeartbeats: HeartbeatMemory = { lastSuccessAt: null, started: {}, failed: false }

/** The stored JSON. Empty members are left out; the ledger, which every check rewrites, is an array of numbers. */
interface StoredMemory {
  readonly samples?: readonly number[]
  readonly account?: StoredLedger
  /** An older form of the ledger; the next check replaces it. */
  readonly ledger?: OlderLedger
  readonly announced?: string
  readonly beats?: HeartbeatMemory
  readonly records?: DnsRecordMemory
  readonly details?: string
  readonly log?: string
}

type StoredLedger = ReturnType<typeof storedLedger>

interface OlderLedger {
  readonly until: number
  readonly hour: number
  readonly tally: Omit<UptimeTotals, 'responses'> & { readonly responses: Readonly<Record<string, number>> | Histogram }
}

/** Parses a stored memory; the ledger of a new monitor begins at `now`. */
export function readMemory(text: string, now: number): Memory {
  const { samples, account, ledger, announced, beats, records, details, log } = JSON.parse(text) as StoredMemory
  return {
    samples: samples ?? [],
    ledger: account !== undefined ? ledgerIn(account) : ledger !== undefined ? ledgerInOlder(ledger) : openLedger(now),
    announcedExpiry: announced ?? null,
    heartbeats: { ...noHeartbeats, ...beats },
    records: records ?? null,
    details: details ?? null,
    newLines: log ?? '',
  }
}

export function memoryText(memory: Memory): string {
  const { samples, ledger, announcedExpiry, heartbeats, records, details, newLines } = memory
  const hasHeartbeats = heartbeats.lastSuccessAt !== null || Object.keys(heartbeats.started).length > 0
  const stored: StoredMemory = {
    account: storedLedger(ledger),
    ...(samples.length > 0 && { samples }),
    ...(announcedExpiry !== null && { announced: announcedExpiry }),
    ...(hasHeartbeats && { beats: heartbeats }),
    ...(records !== null && { records }),
    ...(details !== null && { details }),
    ...(newLines !== '' && { log: newLines }),
  }
  return JSON.stringify(stored)
}

function storedLedger({ accountedUntil, hourStart, totals }: Ledger) {
  const { upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses } = totals
  return [
    ...([accountedUntil, hourStart] as const),
    ...([upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses] as const),
  ] as const
}

function ledgerIn(stored: StoredLedger): Ledger {
  const [accountedUntil, hourStart, upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses] =
    stored
  const totals = { upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses }
  return { accountedUntil, hourStart, totals }
}

function ledgerInOlder({ until, hour, tally }: OlderLedger): Ledger {
  return { accountedUntil: until, hourStart: hour, totals: { ...tally, responses: histogramIn(tally.responses) } }
}

/**
 * For a resume or a new target: earlier measurements no longer count. The announced expiry is kept because it names one
 * certificate, and a new target has another.
 */
export function withoutSamples(memory: Memory): Memory {
  return { ...memory, samples: [], records: null, details: null }
}

/** For a new type: a CRON monitor waits for its first heartbeat again. */
export function forNewType(memory: Memory): Memory {
  return { ...withoutSamples(memory), heartbeats: noHeartbeats }
}
