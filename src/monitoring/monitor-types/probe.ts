import type { ProbeTarget, Sample } from '../../contract/probe.ts'
import type { Guard } from '../../outbound/guard.ts'

/** Probes a target once. Never throws for what the target does, and settles within `target.timeoutMs`. */
export type Probe<Tools> = (target: ProbeTarget, tools: Tools, signal: AbortSignal) => Promise<Sample>

/** What probes that open sockets need. */
export interface NetworkTools {
  readonly guard: Guard
}
