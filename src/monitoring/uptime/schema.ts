import Type from 'typebox'
import { nullable, oneOf } from '../../contract/schema.ts'
import type { UptimeStats } from './compute.ts'
import { type Span, spans } from './read-periods.ts'

export const spanNames = Object.keys(spans) as Span[]
export const SpanName = oneOf(spanNames)

const Milliseconds = nullable(Type.Number())

/** Beside the figures of a period. */
export const unknownField = {
  unknownMs: Type.Number({ description: 'Time without a result, since the monitor was created' }),
}

/** The figures of a period. */
export const uptimeFields = {
  uptime: nullable(Type.Number(), { description: 'Uptime as a ratio from 0 to 1; null without data' }),
  upMs: Type.Number(),
  degradedMs: Type.Number({ description: 'Degraded time, which is part of the time up' }),
  downMs: Type.Number(),
  pausedMs: Type.Number(),
  maintenanceMs: Type.Number(),
  checks: Type.Number(),
  failures: Type.Number(),
  p50Ms: Milliseconds,
  p95Ms: Milliseconds,
}

export function renderUptime({ uptime, totals, p50Ms, p95Ms }: UptimeStats) {
  const { responses: _responses, ...rest } = totals
  return { uptime, ...rest, p50Ms, p95Ms }
}
