import { cleanJson } from '../../lib/json.ts'
import { cleanLine } from '../clean-text.ts'

export interface Change {
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'RELEASE' | 'NONE'
  readonly kind: string
  readonly key: string
  readonly fields: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[]
  readonly historyDays?: number
  readonly warning?: string
}

export interface Summary {
  readonly create: number
  readonly update: number
  readonly delete: number
  readonly release: number
  readonly none: number
}

const [RED, GREEN, YELLOW, GREY] = [31, 32, 33, 90]

/** Signs of the format "diff", which code hosts colour in comments. */
const styles = {
  CREATE: { sign: '+', word: 'create', color: GREEN },
  UPDATE: { sign: '!', word: 'update', color: YELLOW },
  DELETE: { sign: '-', word: 'delete', color: RED },
  RELEASE: { sign: '#', word: 'release: kept, and managed by hand from now on', color: GREY },
} as const

/** What a plan changes, for people. */
export function describePlan(changes: readonly Change[], summary: Summary, usesColor: boolean): string {
  const lines = changes.flatMap((change) => describeChange(change, usesColor))
  return [...lines, ...(lines.length > 0 ? [''] : []), summaryText(summary)].join('\n')
}

function describeChange(change: Change, usesColor: boolean): string[] {
  if (change.action === 'NONE') return []
  const { sign, word, color } = styles[change.action]
  const { historyDays = 0 } = change
  const history = historyDays === 0 ? '' : ` with ${historyDays} ${historyDays === 1 ? 'day' : 'days'} of history`
  const lines = [
    `${sign} ${change.kind}.${change.key}  ${word}${history}`,
    ...change.fields.map((field) => `${sign}     ${field.path}: ${fieldText(change, field)}`),
    ...(change.warning === undefined ? [] : [`${sign}     Warning: ${change.warning}`]),
  ]
  return lines.map(cleanLine).map((line) => (usesColor ? `\u001b[${color}m${line}\u001b[0m` : line))
}

function fieldText({ action }: Change, { before, after }: Change['fields'][number]): string {
  return action === 'CREATE' ? valueText(after) : `${valueText(before)} → ${valueText(after)}`
}

const MAX_VALUE_CHARS = 200

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  const text = cleanJson(value, 0)
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}

function summaryText(summary: Summary): string {
  if (countOf(summary) === 0) return `No changes. ${summary.none} unchanged.`
  const parts = (['create', 'update', 'delete', 'release'] as const).filter((name) => summary[name] > 0)
  return `${parts.map((name) => `${summary[name]} to ${name}`).join(', ')}, ${summary.none} unchanged.`
}

/** How many resources change. */
export function countOf({ create, update, delete: deleted, release }: Summary): number {
  return create + update + deleted + release
}

export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? String(problems[0]) : [`${problems.length} problems:`, ...problems].join('\n  ')
}
