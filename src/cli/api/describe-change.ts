import type { JsonSchema } from '../../lib/json-schema.ts'
import { cleanLine } from '../clean-text.ts'
import { display, displayDetails, type Row } from './display.ts'
import type { Group } from './groups.ts'
import { fieldsOf, optionName } from './schema.ts'

/** The beginning of the sentence that reports a change, by the method of the client. */
const sentences: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
  pause: 'Paused',
  resume: 'Resumed',
  check: 'Checked',
  acknowledge: 'Acknowledged the incident of',
  postUpdate: 'Posted an update to',
  rotateSecret: 'Replaced the signing secret of',
  test: 'Queued the test event',
  retry: 'Retrying',
}

/** One sentence, and the fields that are worth knowing; all fields if there is no sentence. */
export function changeText(
  method: string,
  { shows = [] }: Group,
  answer: Row,
  schema: JsonSchema,
  given: readonly string[],
): string {
  if (isTestMessage(answer))
    return answer.sent ? 'Test message sent' : `Test message not sent: ${display(answer.error)}`
  const [subject = '', object = ''] = given.map(cleanLine)
  if (method === 'unmute') return `Unmuted ${subject}`
  if (method === 'attach') return `${object} gets alerts of ${subject}`
  if (method === 'detach') return `${object} no longer gets alerts of ${subject}`
  if (method.startsWith('remove')) return `Removed the ${removedText(method)} of ${subject}`
  if (/^delete./.test(method)) return `Deleted ${given.map(cleanLine).at(-1)}`
  const sentence = sentences[method]
  if (sentence === undefined) return displayDetails(answer, schema)
  const resource = (method === 'delete' && typeof answer.data === 'object' ? answer.data : answer) as Row
  const known = shows.filter((field) => resource[field] !== undefined)
  const fields = Object.fromEntries(known.map((field) => [field, resource[field]]))
  const details = known.length === 0 ? '' : displayDetails(fields, { properties: fieldsOf(schema) })
  const warning = 'secret' in fields ? 'Save the secret now: it is not shown again.' : ''
  return [`${sentence} ${subjectOf(resource)}`, details, warning].filter((line) => line !== '').join('\n')
}

/** "request options" for `removeRequest`. */
function removedText(method: string): string {
  const words = optionName(method).split('-').slice(1).join(' ')
  return words === 'request' ? 'request options' : words === 'legacy address' ? 'old address' : words
}

/** Whether the answer says if a test message to a contact has arrived. */
function isTestMessage(answer: Row): answer is { readonly sent: boolean; readonly error: string | null } {
  return typeof answer.sent === 'boolean'
}

/** 1 if the request succeeded and what it was for did not: a test message, a tried check, or one of several changes. */
export function changeExitCode(answer: Row): number {
  if (answer.outcome !== undefined) return answer.outcome === 'SUCCESS' ? 0 : 1
  if (isTestMessage(answer)) return answer.sent ? 0 : 1
  return typeof answer.failed === 'number' && answer.failed > 0 ? 1 : 0
}

/** "Shop (mon_…)" */
export function subjectOf({ id, name, title, url, monitor, eventType }: Row): string {
  const called = name ?? title ?? (monitor as Row | undefined)?.name ?? eventType ?? url
  return called === undefined ? display(id) : `${display(called)} (${display(id)})`
}

/** What the headers of a response add to its body. */
export function noteOf(headers: Pick<Headers, 'get'>): string {
  const replayed = headers.get('idempotency-replayed') === 'true'
  const notes = [
    ...inconclusiveNote(headers),
    ...(replayed ? ['Nothing was changed: the idempotency key was used before, and this is the stored response.'] : []),
  ]
  return notes.map((note) => `\n${note}`).join('')
}

function inconclusiveNote(headers: Pick<Headers, 'get'>): string[] {
  const reason = inconclusiveReason(headers)
  if (reason === undefined) return []
  return [`The check was inconclusive${reason === '' ? '' : `: ${display(reason)}`}`]
}

export const CHECK_HEADER = 'X-Pharos-Check'

/** Why a check could not tell the state, empty if the server does not say; undefined if it could. `inconclusive; reason="…"`. */
export function inconclusiveReason(headers: Pick<Headers, 'get'>): string | undefined {
  const header = headers.get(CHECK_HEADER)
  if (header?.startsWith('inconclusive') !== true) return undefined
  return /reason="((?:[^"\\]|\\.)*)"/.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? ''
}
