import type { ProbeTarget, Sample } from '../../contract/probe.ts'

/** Never throws for what the target does, and always settles within `target.timeoutMs`. */
export type Probe<Tools> = (target: ProbeTarget, tools: Tools, signal: AbortSignal) => Promise<Sample>
