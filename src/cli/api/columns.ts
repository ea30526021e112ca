import { durationText } from '../../lib/duration.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { UsageError } from '../command.ts'
import { suggestWord } from '../suggest.ts'
import { type Column, columnOf, columnsOf, type Row } from './display.ts'
import type { Group } from './groups.ts'
import { fieldsOf } from './schema.ts'

const span: Column = ['SPAN', 'span']
const times: readonly Column[] = [
  ['UPTIME', 'uptime'],
  ['UP', duration('upMs')],
  ['DEGRADED', duration('degradedMs')],
  ['DOWN', duration('downMs')],
  ['MAINTENANCE', duration('maintenanceMs')],
  ['UNKNOWN', duration('unknownMs')],
]
const responses: readonly Column[] = [
  ['CHECKS', 'checks'],
  ['FAILURES', 'failures'],
  ['MEDIAN', 'p50Ms'],
  ['P95', 'p95Ms'],
]

function duration(field: string): (row: Row) => unknown {
  return ({ [field]: ms }) => (typeof ms === 'number' && ms > 0 ? durationText(ms) : null)
}

/** Of lists and tables whose fields are too many or are no words, by resource and method of the client. */
const chosen: Readonly<Record<string, readonly Column[]>> = {
  'monitors.uptime': [span, ...times, ...responses],
  'monitors.responseTimes': [['START', 'start'], ['UPTIME', 'uptime'], ...responses],
  'monitors.checks': [
    ['AT', 'at'],
    ['STATE', 'state'],
    ['RESPONSE', 'responseMs'],
    ['TRIES', ({ tries }) => (Array.isArray(tries) ? tries.length : null)],
    ['ERROR', 'error'],
  ],
  'monitors.monitorList': [
    ['ID', 'id'],
    ['STATE', 'state'],
    ['NAME', 'name'],
    ['TYPE', 'type'],
    ['RESPONSE', 'lastResponseMs'],
    ['UPTIME 30 D', 'uptime30d'],
    ['LAST CHECK', 'lastCheckedAt'],
    ['TARGET', 'target'],
    ['CAUSE', 'cause'],
  ],
  'insight.wallBoard': [
    ['STATE', 'state'],
    ['NAME', 'name'],
    ['SINCE', 'since'],
    ['RESPONSE', 'lastResponseMs'],
    ['REASON', 'reason'],
    ['ID', 'id'],
  ],
  'contacts.channels': [
    ['CHANNEL', ({ name }) => String(name).toLowerCase()],
    ['NAME', 'label'],
    ['READY', 'configured'],
    ['SETTINGS', settingsOf],
  ],
}

/** The settings that a channel requires, and the others in brackets. */
function settingsOf({ settings }: Row): string {
  const { required = [] } = settings as JsonSchema
  const names = Object.keys(fieldsOf(settings as JsonSchema))
  const others = names.filter((name) => !required.includes(name))
  return [...required, ...others.map((name) => `[${name}]`)].join(', ')
}

export function columnsFor(group: Group, method: string, items: readonly Row[], schema: JsonSchema): readonly Column[] {
  const listed = method === 'list' ? group.columns : undefined
  return listed ?? chosen[`${group.resource}.${method}`] ?? columnsOf(items, schema)
}

/** The columns that --columns names, by heading or by field. */
export function namedColumns(given: string, usual: readonly Column[], schema: JsonSchema): readonly Column[] {
  const all = [...usual, ...Object.keys(fieldsOf(schema)).map(columnOf)]
  const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '')
  return given.split(',').map((name) => {
    const found = all.find(([heading, field]) => plain(heading) === plain(name) || field === name.trim())
    if (found !== undefined) return found
    if (name.includes('.')) return [name.trim().toUpperCase(), name.trim()]
    const names = [...new Set([...usual.map(([heading]) => heading.toLowerCase()), ...Object.keys(fieldsOf(schema))])]
    const suggestion = suggestWord(name.trim(), names)
    const known = usual.map(([heading]) => heading).join(', ')
    throw new UsageError(`There is no column "${name}"; columns are ${known}, and the fields of --json`, suggestion)
  })
}
