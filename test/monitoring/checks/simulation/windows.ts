const DAY = 86_400_000

/** What a window was from one change of it to the next. */
export interface Version {
  readonly from: number
  /** When it was changed or deleted; endless while it holds. */
  until: number
  readonly startsAt: number
  readonly lengthMs: number
  readonly isDaily: boolean
  /** All monitors, if it is null. */
  readonly nums: ReadonlySet<number> | null
}

/**
 * The maintenance that there was, is and will be: the rules once more, as plainly as can be. Days have 24 hours here,
 * because the simulation lives in UTC; what clocks do elsewhere is for other tests.
 */
export class Windows {
  readonly versions: Version[] = []

  covers(num: number, at: number): boolean {
    return this.of(num).some((version) => at >= version.from && at < version.until && isUnderWay(version, at))
  }

  /** Moments between two others at which something may begin or end for a monitor. */
  bounds(num: number, from: number, to: number): number[] {
    const bounds = this.of(num).flatMap((version) => {
      const { startsAt, lengthMs, isDaily } = version
      const nearest = isDaily ? Math.floor((from - startsAt) / DAY) : 0
      const starts = (isDaily ? [-1, 0, 1, 2, 3] : [0]).map((days) => startsAt + (nearest + days) * DAY)
      return [version.from, version.until, ...starts, ...starts.map((start) => start + lengthMs)]
    })
    return bounds.filter((at) => at > from && at < to)
  }

  /** When the latest of what covered a monitor ended by itself between two moments. */
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

/** Whether an occurrence ends at this very moment, while the version holds. */
function endsAt(version: Version, at: number): boolean {
  return at > version.from && at < version.until && isUnderWay(version, at - 1) && !isUnderWay(version, at)
}

/** When the last occurrence ended that a look at this moment finds ended since another one. */
export function hasEndedSince(version: Version, since: number, at: number): boolean {
  for (let days = Math.ceil((at - version.startsAt) / DAY); days >= 0; days -= 1) {
    const end = version.startsAt + (version.isDaily ? days : 0) * DAY + version.lengthMs
    if (end <= since) return false
    if (end <= at && end < version.until) return true
  }
  return false
}
