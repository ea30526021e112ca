import { isObject } from '../../lib/json.ts'
import type { TheirMonitor } from '../verdicts.ts'
import {
  boundedMonitor,
  parseJson,
  shown,
  type ToolClient,
  textIn,
  tooManyMonitors,
  UnexpectedAnswer,
  withPath,
} from './tool.ts'

/** The most that UptimeRobot returns at once. */
const PAGE_SIZE = 50
/** The plans of Pharos have at most 1,000 monitors. */
const MAX_PAGES = 20

/** Version 2 of its API, which main keys and read-only keys may use. */
export const uptimeRobot: ToolClient = {
  name: 'UptimeRobot',
  defaultUrl: 'https://api.uptimerobot.com/v2',
  maxBytes: 256 * 1024,
  maxPages: MAX_PAGES,
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
    const total = isObject(answer.pagination) ? Number(textIn(answer.pagination.total)) : 0
    if (total > MAX_PAGES * PAGE_SIZE) {
      throw tooManyMonitors('UptimeRobot', total.toLocaleString('en'), MAX_PAGES * PAGE_SIZE)
    }
    const monitors = answer.monitors.flatMap(monitorIn)
    const isLast = answer.monitors.length === 0 || !((page + 1) * PAGE_SIZE < total)
    return isLast ? { monitors } : { monitors, nextPage: page + 1 }
  },
}

function faultIn(error: unknown): string {
  const { type, message } = isObject(error) ? error : {}
  if (type === 'invalid_parameter') return 'UptimeRobot does not accept the API key.'
  return `UptimeRobot answered with an error: ${shown(textIn(message) ?? textIn(type) ?? 'no reason given')}`
}

/** 8 is "seems down": it has not alerted yet. */
const states = { 0: 'PAUSED', 1: 'PENDING', 2: 'UP', 8: 'PENDING', 9: 'DOWN' } as const

function monitorIn(monitor: unknown): TheirMonitor[] {
  if (!isObject(monitor) || typeof monitor.friendly_name !== 'string') return []
  const state = states[Number(textIn(monitor.status)) as keyof typeof states]
  if (state === undefined) return []
  const [id, url, port] = [monitor.id, monitor.url, monitor.port].map(textIn)
  return [boundedMonitor({ id, name: monitor.friendly_name, state, address: url && port ? `${url}:${port}` : url })]
}
