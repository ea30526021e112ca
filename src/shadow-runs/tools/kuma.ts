import type { TheirMonitor } from '../verdicts.ts'
import {
  basicAuth,
  boundedMonitor,
  MAX_PAGE_BYTES,
  type ToolClient,
  textOf,
  UnexpectedAnswer,
  withPath,
} from './tool.ts'

/** Uptime Kuma publishes its verdicts for Prometheus. Monitors that are paused are not listed. */
export const kuma: ToolClient = {
  name: 'Uptime Kuma',
  maxBytes: MAX_PAGE_BYTES,
  maxPages: 1,
  request: (url, key) => ({ url: withPath(url, '/metrics').href, method: 'GET', headers: basicAuth(key), body: '' }),
  read: (body) => {
    const text = textOf(body)
    // Kuma answers with its web page if the address is not that of the metrics.
    if (!text.includes('# TYPE monitor_status ')) {
      throw new UnexpectedAnswer('The answer is not the metrics page of Uptime Kuma. Check the address.')
    }
    return { monitors: [...monitorsIn(text)] }
  },
}

const states = { 0: 'DOWN', 1: 'UP', 2: 'PENDING', 3: 'MAINTENANCE' } as const
const METRIC = 'monitor_status{'

function* monitorsIn(body: string): Generator<TheirMonitor> {
  for (let at = body.indexOf(METRIC); at !== -1; at = body.indexOf(METRIC, at + 1)) {
    if (at > 0 && body[at - 1] !== '\n') continue
    const end = body.indexOf('\n', at)
    const { labels, value } = sampleIn(body.slice(at + METRIC.length, end === -1 ? undefined : end))
    const state = states[value as keyof typeof states]
    const name = labels.get('monitor_name')
    // A group has no check of its own.
    if (state === undefined || name === undefined || labels.get('monitor_type') === 'group') continue
    yield boundedMonitor({ id: labels.get('monitor_id'), name, state, address: addressOf(labels) })
  }
}

const LABELS: ReadonlySet<string> = new Set([
  'monitor_id',
  'monitor_name',
  'monitor_type',
  'monitor_url',
  'monitor_hostname',
  'monitor_port',
])
const VALUE_BEGINS = '="'

interface Sample {
  readonly labels: ReadonlyMap<string, string>
  /** NaN if the line has none. */
  readonly value: number
}

/** `name="value",name="value"} 1`, with `\"`, `\\` and `\n` in values. One pass over the line, because a pattern backtracks. */
function sampleIn(line: string): Sample {
  const labels = new Map<string, string>()
  let at = 0
  while (at < line.length && line[at] !== '}') {
    const nameEnd = line.indexOf(VALUE_BEGINS, at)
    if (nameEnd === -1) break
    const name = line.slice(at, nameEnd).trim()
    const begin = nameEnd + VALUE_BEGINS.length
    const end = endOfValue(line, begin)
    if (LABELS.has(name)) labels.set(name, unescaped(line.slice(begin, end)))
    at = end + 1
    if (line[at] === ',') at += 1
  }
  // A time may follow.
  const [value] = line
    .slice(at + 1)
    .trim()
    .split(' ', 1)
  return { labels, value: value ? Number(value) : Number.NaN }
}

/** The position of the closing quote, or of the end of the line. */
function endOfValue(line: string, begin: number): number {
  let at = begin
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1
  return at
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
}

function addressOf(labels: ReadonlyMap<string, string>): string | undefined {
  const value = (name: string) => {
    const text = labels.get(name)
    return text === undefined || text === 'null' || text === 'undefined' ? '' : text
  }
  const [url, host, port] = [value('monitor_url'), value('monitor_hostname'), value('monitor_port')]
  // The form of a new monitor in Kuma has this as its URL, also if the type has none.
  if (url !== '' && url !== 'https://' && url !== 'http://') return url
  if (host === '') return undefined
  return port === '' ? host : `${host}:${port}`
}
