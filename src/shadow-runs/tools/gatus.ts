import { isObject } from '../../lib/json.ts'
import type { TheirMonitor } from '../verdicts.ts'
import {
  basicAuth,
  boundedMonitor,
  cutName,
  MAX_PAGE_BYTES,
  parseJson,
  type ToolClient,
  UnexpectedAnswer,
  withPath,
} from './tool.ts'

/** Gatus lists its endpoints with their latest results. A result is a verdict; its alerts may wait for more of them. */
export const gatus: ToolClient = {
  name: 'Gatus',
  maxBytes: MAX_PAGE_BYTES,
  maxPages: 1,
  request: (url, key) => {
    const address = withPath(url, '/api/v1/endpoints/statuses')
    // One result of each endpoint: the page of all results has megabytes.
    address.search = 'page=1&pageSize=1'
    return { url: address.href, method: 'GET', headers: basicAuth(key), body: '' }
  },
  read: (body) => {
    const list = parseJson(body, 'Gatus')
    if (!Array.isArray(list)) throw new UnexpectedAnswer('The answer is not the list of Gatus. Check the address.')
    return { monitors: list.flatMap(endpointIn) }
  },
}

function endpointIn(status: unknown): TheirMonitor[] {
  if (!isObject(status) || typeof status.name !== 'string') return []
  const { key, results } = status
  const name = cutName(status.name)
  const group = typeof status.group === 'string' ? cutName(status.group) : ''
  const newest = Array.isArray(results) ? newestOf(results) : undefined
  return [
    boundedMonitor({
      id: typeof key === 'string' ? key : undefined,
      name,
      otherNames: group === '' ? [] : [`${group}/${name}`, `${group} / ${name}`],
      state: newest === undefined ? 'PENDING' : newest.success === true ? 'UP' : 'DOWN',
    }),
  ]
}

type Result = Readonly<Record<string, unknown>>

/** The later one of two with the same time. */
function newestOf(results: readonly unknown[]): Result | undefined {
  let newest: Result | undefined
  let newestAt = Number.NEGATIVE_INFINITY
  for (const result of results) {
    if (!isObject(result)) continue
    const at = timeOf(result)
    if (at < newestAt) continue
    newest = result
    newestAt = at
  }
  return newest
}

/** `2026-03-02T10:00:00.123456789+01:00` */
const MAX_TIME_CHARS = 40

function timeOf({ timestamp }: Result): number {
  const isTime = typeof timestamp === 'string' && timestamp.length <= MAX_TIME_CHARS
  const at = isTime ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(at) ? 0 : at
}
