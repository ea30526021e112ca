import { isObject } from '../../lib/json.ts'
import type { TheirMonitor } from '../verdicts.ts'
import { parseJson, type ToolClient, UnexpectedAnswer, withPath } from './tool.ts'

/** The most that UptimeRobot returns at once. */
const PAGE_SIZE = 50

/** Version 2 of its API, which main keys and read-only keys may use. */
export const uptimeRobot: ToolClient = {
  name: 'UptimeRobot',
  defaultUrl: 'https://api.uptimerobot.com/v2',
  request: (url, key, page) => ({
    url: withPath(url, '/getMonitors').href,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      api_key: key ?? '',
      format: 'json',
      limit: `${PAGE_SIZE}`,
      offset: `${page * PAGE_SIZE}`,
    }).toString(),
  }),
  read: (body, page) => {
    const answer = parseJson(body, 'UptimeRobot')
    if (isObject(answer) && answer.stat === 'fail') throw new UnexpectedAnswer(faultIn(answer.error))
    if (!isObject(answer) || !Array.isArray(answer.monitors)) {
      throw new UnexpectedAnswer('The answer is not the list of UptimeRobot. Check the address.')
    }
    const total = isObject(answer.pagination) ? Number(answer.pagination.total) : 0
    const monitors = answer.monitors.flatMap(monitorIn)
    return (page + 1) * PAGE_SIZE < total ? { monitors, nextPage: page + 1 } : { monitors }
  },
}

function faultIn(error: unknown): string {
  const { type, message } = isObject(error) ? error : {}
  if (type === 'invalid_parameter') return 'UptimeRobot does not accept the API key.'
  return `UptimeRobot answered with an error: ${typeof message === 'string' ? message : type}`
}

/** 8 is "seems down": it has not alerted yet. */
const states = { 0: 'PAUSED', 1: 'PENDING', 2: 'UP', 8: 'PENDING', 9: 'DOWN' } as const

function monitorIn(monitor: unknown): TheirMonitor[] {
  if (!isObject(monitor) || typeof monitor.friendly_name !== 'string') return []
  const state = states[Number(monitor.status) as keyof typeof states]
  if (state === undefined) return []
  const { id, url, port } = monitor
  const address = typeof url !== 'string' || url === '' ? undefined : port ? `${url}:${port}` : url
  return [{ id: String(id), name: monitor.friendly_name, state, ...(address && { address }) }]
}
