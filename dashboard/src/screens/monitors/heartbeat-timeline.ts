import type { PublicSchemas } from '../../api/client.ts'

type Beat = PublicSchemas['Heartbeat']
type Incident = PublicSchemas['Incident']

export type TimelineEntry =
  | { readonly kind: 'signal'; readonly at: string; readonly beat: Beat }
  | { readonly kind: 'missed'; readonly at: string; readonly incident: Incident }
  /** `late`: the expected time is over, the grace period is not. */
  | { readonly kind: 'expected'; readonly at: string; readonly overdueAt: string; readonly late: boolean }

/** The server lists this many heartbeats at most. */
const MOST_BEATS = 100

/** Signals, missed heartbeats and the next expected one, newest first. */
export function timelineOf(
  beats: readonly Beat[],
  incidents: readonly Incident[],
  schedule: PublicSchemas['HeartbeatSchedule'] | null | undefined,
  now: number,
): readonly TimelineEntry[] {
  const oldest = beats.length < MOST_BEATS ? '' : (beats.at(-1)?.at ?? '')
  const missed = incidents.filter((one) => isMissed(one) && one.startedAt >= oldest)
  const entries: TimelineEntry[] = [
    ...beats.map((beat) => ({ kind: 'signal' as const, at: beat.at, beat })),
    ...missed.map((incident) => ({ kind: 'missed' as const, at: incident.startedAt, incident })),
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  const { expectedAt = null, overdueAt = null } = schedule ?? {}
  const isMissing = missed.some(({ resolvedAt }) => resolvedAt === null)
  if (expectedAt === null || overdueAt === null || isMissing) return entries
  return [{ kind: 'expected', at: expectedAt, overdueAt, late: new Date(expectedAt).getTime() < now }, ...entries]
}

/** Other incidents of a job are failures that it reported, which are signals. */
function isMissed({ cause }: Incident): boolean {
  return cause?.startsWith('No heartbeat') === true
}
