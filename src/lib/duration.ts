const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** A duration in its two largest units: 2 h 5 min. */
export function durationText(ms: number): string {
  const parts: string[] = []
  let rest = Math.max(0, ms)
  for (const [unitMs, unit] of UNITS) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? 'less than 1 s' : parts.join(' ')
}
