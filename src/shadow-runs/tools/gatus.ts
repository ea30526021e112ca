import { isObject } from '../../lib/json.ts'
import type { TheirMonitor } from '../verdicts.ts'
import { basicAuth, parseJson, type ToolClient, UnexpectedAnswer, withPath } from './tool.ts'

/** Gatus lists its endpoints with their latest results. A result is a verdict; its alerts may wait for more of them. */
export const gatus: ToolClient = {
  name: 'Gatus',
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
  const { name, group, key } = status
  const results = Array.isArray(status.results) ? status.results.filter(isObject) : []
  const newest = results.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1)
  const names = typeof group === 'string' && group !== '' ? [`${group}/${name}`, `${group} / ${name}`] : []
  return [
    {
      name,
      otherNames: names,
      state: newest === undefined ? 'PENDING' : newest.success === true ? 'UP' : 'DOWN',
      ...(typeof key === 'string' && { id: key }),
    },
  ]
}

function timeOf({ timestamp }: Readonly<Record<string, unknown>>): number {
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(at) ? 0 : at
}
