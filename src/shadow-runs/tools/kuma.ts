import type { TheirMonitor } from '../verdicts.ts'
import { basicAuth, type ToolClient, UnexpectedAnswer, withPath } from './tool.ts'

/** Uptime Kuma publishes its verdicts for Prometheus. Monitors that are paused are not listed. */
export const kuma: ToolClient = {
  name: 'Uptime Kuma',
  request: (url, key) => ({ url: withPath(url, '/metrics').href, method: 'GET', headers: basicAuth(key), body: '' }),
  read: (body) => {
    // Kuma answers with its web page if the address is not that of the metrics.
    if (!body.includes('# TYPE monitor_status ')) {
      throw new UnexpectedAnswer('The answer is not the metrics page of Uptime Kuma. Check the address.')
    }
    return { monitors: [...monitorsIn(body)] }
  },
}

const states = { 0: 'DOWN', 1: 'UP', 2: 'PENDING', 3: 'MAINTENANCE' } as const
const METRIC = 'monitor_status{'

function* monitorsIn(body: string): Generator<TheirMonitor> {
  for (let at = body.indexOf(METRIC); at !== -1; at = body.indexOf(METRIC, at + 1)) {
    if (at > 0 && body[at - 1] !== '\n') continue
    const end = body.indexOf('\n', at)
    const line = body.slice(at + METRIC.length, end === -1 ? undefined : end)
    const value = /\}\s+(\S+)/.exec(line.slice(line.lastIndexOf('}')))?.[1]
    const state = states[Number(value) as keyof typeof states]
    const labels = labelsOf(line)
    const name = labels.get('monitor_name')
    // A group has no check of its own.
    if (state === undefined || name === undefined || labels.get('monitor_type') === 'group') continue
    const id = labels.get('monitor_id')
    const address = addressOf(labels)
    yield { name, state, ...(id && { id }), ...(address && { address }) }
  }
}

const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g

function labelsOf(line: string): ReadonlyMap<string, string> {
  const unescaped = (text: string) => text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
  return new Map([...line.matchAll(LABEL)].map(([, name, value]) => [name as string, unescaped(value as string)]))
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
