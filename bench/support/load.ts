import autocannon from 'autocannon'
import { cpuUsOf, type Server } from './processes.ts'

/** What is requested, below the address of the server. */
export interface Load {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly connections: number
}

export interface LoadResult {
  readonly perSecond: number
  readonly p99Ms: number
  /** CPU time of the server per response. */
  readonly cpuUs: number
}

/** Sends requests in a closed loop, after a warm-up. Throws if any response is not a success. */
export async function measure(
  server: Server,
  load: Load,
  seconds: number,
  warmUpSeconds = seconds,
): Promise<LoadResult> {
  await run(server, load, warmUpSeconds)
  return run(server, load, seconds)
}

async function run({ url, pid }: Server, load: Load, seconds: number): Promise<LoadResult> {
  const { path, method = 'GET', headers = {}, body, connections } = load
  const [started, cpuBefore] = [performance.now(), cpuUsOf(pid)]
  const result = await autocannon({
    url: `${url}${path}`,
    method,
    headers: { ...headers },
    connections,
    duration: seconds,
    // Replaces [<id>] in headers, so that every creation has its own Idempotency-Key.
    idReplacement: method === 'POST',
    ...(body === undefined ? {} : { body }),
  })
  const elapsedSeconds = (performance.now() - started) / 1000
  const { '2xx': successes, non2xx: refusals, errors } = result
  if (refusals > 0 || errors > 0) throw new Error(`${method} ${path}: ${refusals} refusals, ${errors} errors`)
  return {
    perSecond: successes / elapsedSeconds,
    p99Ms: result.latency.p99,
    cpuUs: (cpuUsOf(pid) - cpuBefore) / successes,
  }
}
