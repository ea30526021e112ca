import { parseStored } from '../../lib/json.ts'
import { type EvidenceMemory, type PartMemory, phaseNames, type UsualMs } from '../evidence/track.ts'
import type { PreviousRecordSet, SeenRecordSet } from '../monitor-types/dns/record-changes.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { ResultLog } from './result-log.ts'

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
  /** Successes in a row that did not end the outage yet. */
  readonly recoveries: number
  readonly ledger: Ledger
  /** Fingerprint of the certificate or registration whose expiry was already announced. */
  readonly announcedExpiry: string | null
  readonly heartbeats: HeartbeatMemory
  readonly records: DnsRecordMemory | null
  /** Key of the details that are stored (monitor-details); null if the next check must store them. */
  readonly details: string | null
  /** The newest results; null before the first check. */
  readonly results: ResultLog | null
  /** When the latest inconclusive check was stored. */
  readonly inconclusiveAt: number | null
  /** What the last good check found; null if the next one must be compared with what is stored. */
  readonly evidence: EvidenceMemory | null
}

const noHeartbeats: HeartbeatMemory = { lastSuccessAt: null, started: {}, failed: false }

/** The stored JSON. Empty members are left out; the ledger, which every check rewrites, is an array of numbers. */
interface StoredMemory {
  readonly samples?: readonly number[]
  readonly recoveries?: number
  readonly account?: StoredLedger
  readonly announced?: string
  readonly beats?: HeartbeatMemory
  readonly records?: DnsRecordMemory
  readonly details?: string
  readonly log?: readonly [firstAt: number, storedCharacters: number, pending: string]
  readonly inconclusiveAt?: number
  readonly evidence?: ReturnType<typeof storedEvidence>
}

type StoredLedger = ReturnType<typeof storedLedger>

/** Parses a stored memory; the ledger of a new monitor begins at `now`. */
export function readMemory(text: string, now: number): Memory {
  const stored = parseStored(text) as StoredMemory
  const { samples, recoveries, account, announced, beats, records, details, log, inconclusiveAt, evidence } = stored
  return {
    samples: samples ?? [],
    recoveries: recoveries ?? 0,
    ledger: account === undefined ? openLedger(now) : ledgerIn(account),
    announcedExpiry: announced ?? null,
    heartbeats: { ...noHeartbeats, ...beats },
    records: records ?? null,
    details: details ?? null,
    results: log === undefined ? null : { firstAt: log[0], storedCharacters: log[1], pending: log[2] },
    inconclusiveAt: inconclusiveAt ?? null,
    evidence: evidence === undefined ? null : evidenceIn(evidence),
  }
}

export function memoryText(memory: Memory): string {
  const {
    samples,
    recoveries,
    ledger,
    announcedExpiry,
    heartbeats,
    records,
    details,
    results,
    inconclusiveAt,
    evidence,
  } = memory
  const hasHeartbeats = heartbeats.lastSuccessAt !== null || Object.keys(heartbeats.started).length > 0
  const stored: StoredMemory = {
    account: storedLedger(ledger),
    ...(samples.length > 0 && { samples }),
    ...(recoveries > 0 && { recoveries }),
    ...(announcedExpiry !== null && { announced: announcedExpiry }),
    ...(hasHeartbeats && { beats: heartbeats }),
    ...(records !== null && { records }),
    ...(details !== null && { details }),
    ...(results !== null && { log: [results.firstAt, results.storedCharacters, results.pending] as const }),
    ...(inconclusiveAt !== null && { inconclusiveAt }),
    ...(evidence !== null && { evidence: storedEvidence(evidence) }),
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

/** The key alone, of a part that did not change lately. */
type StoredPart = string | readonly [key: string, changeScore: number, skip: number, skipped: number]

function storedEvidence({ parts, checks, phases }: EvidenceMemory) {
  const stored = parts.map(({ key, changeScore, skip, skipped }): StoredPart => {
    return changeScore + skip + skipped === 0 ? key : [key, changeScore, skip, skipped]
  })
  return [stored, checks, phaseNames.map((name) => phases[name] ?? 0)] as const
}

function evidenceIn([parts, checks, stored]: ReturnType<typeof storedEvidence>): EvidenceMemory | null {
  // Was stored by an earlier version. The next good check compares with what is stored of the monitor.
  if (!Array.isArray(parts)) return null
  const phases = phaseNames.flatMap((name, i) => (stored[i] ? [[name, stored[i] as UsualMs] as const] : []))
  return { parts: parts.map(partIn), checks, phases: Object.fromEntries(phases) }
}

function partIn(stored: StoredPart): PartMemory {
  const [key, changeScore, skip, skipped] = typeof stored === 'string' ? ([stored, 0, 0, 0] as const) : stored
  return { key, changeScore, skip, skipped }
}

function ledgerIn(stored: StoredLedger): Ledger {
  const [accountedUntil, hourStart, upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses] =
    stored
  const totals = { upMs, degradedMs, downMs, pausedMs, maintenanceMs, checks, failures, responses }
  return { accountedUntil, hourStart, totals }
}

/**
 * For a resume or a new target: earlier measurements no longer count. The announced expiry is kept because it names one
 * certificate, and a new target has another.
 */
export function withoutSamples(memory: Memory): Memory {
  return { ...memory, samples: [], recoveries: 0, records: null, details: null, evidence: null }
}

/** For a new type: a CRON monitor waits for its first heartbeat again. */
export function forNewType(memory: Memory): Memory {
  return { ...withoutSamples(memory), heartbeats: noHeartbeats }
}
