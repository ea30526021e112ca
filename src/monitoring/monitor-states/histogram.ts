import { parseStored } from '../../lib/json.ts'

/**
 * Response times as a sparse histogram whose bounds grow by 5 %, so that a percentile is at most 2.5 % off before it is
 * rounded to a millisecond. Histograms of several hours can be merged; percentiles cannot. It is a flat array of
 * alternating buckets and counts (bucket, count, bucket, count …) with ascending buckets, because every check copies it.
 */
export type Histogram = readonly number[]

const GROWTH = 1.05
const LOG_GROWTH = Math.log(GROWTH)

export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / LOG_GROWTH)
}

export function withSample(histogram: Histogram, ms: number): Histogram {
  const bucket = bucketOf(ms)
  let at = 0
  while (at < histogram.length && (histogram[at] as number) < bucket) at += 2
  if (histogram[at] === bucket) return histogram.with(at + 1, (histogram[at + 1] as number) + 1)
  return histogram.toSpliced(at, 0, bucket, 1)
}

export function merged(histograms: readonly Histogram[]): Histogram {
  return histograms.reduce(mergedTwo, [])
}

function mergedTwo(a: Histogram, b: Histogram): Histogram {
  const both: number[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const bucket = Math.min(a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY)
    let count = 0
    if (a[i] === bucket) {
      count += a[i + 1] as number
      i += 2
    }
    if (b[j] === bucket) {
      count += b[j + 1] as number
      j += 2
    }
    both.push(bucket, count)
  }
  return both
}

export function withoutEmpty(histogram: Histogram): Histogram {
  return [...entriesOf(histogram)].filter(([, count]) => count > 0).flat()
}

/** The same response time, counted several times. */
export function histogramOf(ms: number, count: number): Histogram {
  return count === 0 ? [] : [bucketOf(ms), count]
}

/** The nearest-rank percentile; null without samples. */
export function percentile(histogram: Histogram, share: number): number | null {
  const rank = Math.max(1, Math.ceil(share * countOf(histogram)))
  let seen = 0
  for (const [bucket, count] of entriesOf(histogram)) {
    seen += count
    if (seen >= rank) return middleOf(bucket)
  }
  return null
}

export function countOf(histogram: Histogram): number {
  let count = 0
  for (let at = 1; at < histogram.length; at += 2) count += histogram[at] as number
  return count
}

function* entriesOf(histogram: Histogram): Generator<[bucket: number, count: number]> {
  for (let at = 0; at < histogram.length; at += 2) yield [histogram[at] as number, histogram[at + 1] as number]
}

/** The stored form of an hour or a day: a JSON object of counts by bucket. */
export function histogramText(histogram: Histogram): string {
  let members = ''
  for (let at = 0; at < histogram.length; at += 2) {
    members += `${at === 0 ? '' : ','}"${histogram[at]}":${histogram[at + 1]}`
  }
  return `{${members}}`
}

/** Integer keys of an object are in ascending order. */
export function readHistogram(text: string): Histogram {
  const stored: Readonly<Record<string, number>> = parseStored(text)
  return Object.entries(stored).flatMap(([bucket, count]) => [Number(bucket), count])
}

function middleOf(bucket: number): number {
  if (bucket === 0) return 1
  return Math.round((GROWTH ** bucket + GROWTH ** (bucket - 1)) / 2)
}
