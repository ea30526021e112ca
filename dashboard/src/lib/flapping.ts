interface Incident {
  readonly monitor: { readonly id: string }
  readonly startedAt: string
}

/** As alerts count it: a monitor flaps if it went down this many times within this time. */
const FLAPPING_MS = 20 * 60_000
const FLAPPING_COUNT = 3

export interface Flapping {
  readonly outages: number
  /** ISO time of the first of them. */
  readonly since: string
}

/** The monitors that flap at a time, by id. */
export function flappingAt(now: number, incidents: readonly Incident[]): ReadonlyMap<string, Flapping> {
  const recent = incidents.filter(({ startedAt }) => Date.parse(startedAt) >= now - FLAPPING_MS)
  const byMonitor = Map.groupBy(recent, ({ monitor }) => monitor.id)
  return new Map(
    [...byMonitor].flatMap(([id, own]) => {
      const since = own.map(({ startedAt }) => startedAt).toSorted()[0] as string
      return own.length < FLAPPING_COUNT ? [] : [[id, { outages: own.length, since }] as const]
    }),
  )
}

/** Requests ask from here on. */
export function flappingSince(now: number): string {
  return new Date(now - FLAPPING_MS).toISOString()
}
