import { oneLine, truncate } from '../../lib/text.ts'
import { causeText } from './causes.ts'
import type { Entry } from './chain/group-alerts.ts'
import { MAX_DETAILED } from './details.ts'
import type { Words } from './languages/words.ts'
import { renderNote } from './render-note.ts'

interface Runbook {
  /** Without the address, and with it. */
  readonly label: string
  readonly text: string
  readonly url: string
  /** The address was checked when it was saved; another one is shown as text. */
  readonly isLink: boolean
}

/** What is noted on a monitor, or on several that have the same notes. */
export interface NoteText {
  readonly runbook: Runbook | null
  /** Null in a message about one monitor. */
  readonly heading: string | null
  readonly lines: readonly string[]
  /** Safe. */
  readonly html: string
}

const MAX_NAME = 120
const MAX_CHANGES = 500
const MAX_NAMES = 3

/** The same notes are there once. */
export function writeNotes(entries: readonly Entry[], words: Words): readonly NoteText[] {
  const noted = entries.filter(({ alert }) => alert.notes !== undefined && alert.notes !== null)
  const groups = Map.groupBy(noted, ({ alert: { notes } }) => JSON.stringify([notes?.runbookUrl, notes?.text]))
  return [...groups.values()].slice(0, MAX_DETAILED).map((group) => {
    const { runbookUrl, text = '' } = (group[0] as Entry).alert.notes ?? {}
    const names = entries.length === 1 ? null : namesOf(group, words)
    const { lines, html } = text.trim() === '' ? { lines: [], html: '' } : renderNote(text)
    return {
      runbook: runbookUrl === undefined ? null : runbookIn(oneLine(runbookUrl), names, words),
      heading: names === null || lines.length === 0 ? null : words.text('notesOf', { names }),
      lines,
      html,
    }
  })
}

function runbookIn(url: string, names: string | null, words: Words): Runbook {
  const label = names === null ? words.text('runbook') : words.text('runbookOf', { names })
  const isLink = /^https?:\/\/\S+$/i.test(url) && URL.canParse(url)
  return { label, text: words.text('labelled', { label, value: url }), url, isLink }
}

/** What had changed before an outage: one line for all monitors for which it is the same. */
export function writeChanges(entries: readonly Entry[], words: Words, now: number): readonly string[] {
  const summaryOf = ({ alert: { summary = [] } }: Entry) =>
    oneLine(summary.map((reason) => causeText(reason, words, now)).join(' '))
  const changed = entries.filter(({ alert }) => alert.summary !== undefined)
  const groups = Map.groupBy(changed, summaryOf)
  return [...groups].map(([text, group]) =>
    truncate(
      entries.length === 1 ? text : words.text('labelled', { label: namesOf(group, words), value: text }),
      MAX_CHANGES,
    ),
  )
}

function namesOf(entries: readonly Entry[], words: Words): string {
  const names = new Set(entries.map(({ alert }) => truncate(oneLine(alert.subject), MAX_NAME)))
  return words.names([...names], MAX_NAMES)
}
