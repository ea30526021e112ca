import autocannon from 'autocannon'

export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly connections: number
  readonly seconds: number
}

export interface Measured {
  readonly perSecond: number
  readonly answers: number
  readonly p99Ms: number
}

/** Sends requests in a closed loop. Throws if any response is not a success. */
export async function measure({
  url,
  method = 'GET',
  headers = {},
  body,
  connections,
  seconds,
}: Load): Promise<Measured> {
  const started = performance.now()
  const result = await autocannon({
    url,
    method,
    headers: { ...headers },
    connections,
    duration: seconds,
    // Replaces [<id>] in headers, so that every creation has its own Idempotency-Key.
    idReplacement: method === 'POST',
    ...(body === undefined ? {} : { body }),
  })
  const elapsedSeconds = (performance.now() - started) / 1000
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${method} ${url}: ${result.non2xx} refusals, ${result.errors} errors`)
  }
  return { perSecond: result['2xx'] / elapsedSeconds, answers: result['2xx'], p99Ms: result.latency.p99 }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
