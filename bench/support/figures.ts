export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function percentilesOf(values: readonly number[]): Percentiles {
  return { p50: percentileOf(values, 0.5), p99: percentileOf(values, 0.99), max: Math.max(...values) }
}
