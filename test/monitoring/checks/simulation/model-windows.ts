const DAY = 86_400_000

/** A window between two changes of it. */
export interface Version {
  readonly from: number
  /** When it was changed or deleted; infinite while it is current. */
  until: number
  readonly startsAt: number
  readonly lengthMs: number
  readonly isDaily: boolean
  /** All monitors, if it is null. */
  readonly nums: ReadonlySet<number> | null
}

/**
 * The maintenance windows: their rules implemented a second time, as plainly as possible. All days have 24 hours, because
 * the simulation runs in UTC; other tests cover time zones.
 */
export class ModelWindows {
  readonly versions: Version[] = []

  covers(num: number, at: number): boolean {
    return this.of(num).some((version) => at >= version.from && at < version.until && isUnderWay(version, at))
  }

  /** Times between two others at which maintenance of a monitor may begin or end. */
  bounds(num: number, from: number, to: number): number[] {
    const bounds = this.of(num).flatMap((version) => {
      const { startsAt, lengthMs, isDaily } = version
      const nearest = isDaily ? Math.floor((from - startsAt) / DAY) : 0
      const starts = (isDaily ? [-1, 0, 1, 2, 3] : [0]).map((days) => startsAt + (nearest + days) * DAY)
      return [version.from, version.until, ...starts, ...starts.map((start) => start + lengthMs)]
    })
    return bounds.filter((at) => at > from && at < to)
  }

  /** When maintenance of a monitor last ended as planned between two times. */
  endedWithin(num: number, from: number, to: number): number | undefined {
    return this.bounds(num, from, to + 1)
      .filter((at) => this.of(num).some((version) => endsAt(version, at)))
      .sort((a, b) => a - b)
      .at(-1)
  }

  of(num: number): Version[] {
    return this.versions.filter(({ nums }) => nums === null || nums.has(num))
  }
}

export function isUnderWay({ startsAt, lengthMs, isDaily }: Version, at: number): boolean {
  if (at < startsAt) return false
  return (isDaily ? (at - startsAt) % DAY : at - startsAt) < lengthMs
}

/** Whether an occurrence ends at exactly this time, while the version is current. */
function endsAt(version: Version, at: number): boolean {
  return at > version.from && at < version.until && isUnderWay(version, at - 1) && !isUnderWay(version, at)
}

/** Whether an occurrence ended after `since` and not after `at`. */
export function hasEndedSince(version: Version, since: number, at: number): boolean {
  for (let days = Math.ceil((at - version.startsAt) / DAY); days >= 0; days -= 1) {
    const end = version.startsAt + (version.isDaily ? days : 0) * DAY + version.lengthMs
    if (end <= since) return false
    if (end <= at && end < version.until) return true
  }
  return false
}
