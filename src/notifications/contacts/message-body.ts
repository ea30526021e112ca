import type { Tone } from '../../outbound/email-layout.ts'
import type { MessageEntry, MessageList } from './message.ts'
import type { Escape, TextLines } from './text.ts'
import type { NoteText } from './write-notes.ts'

/** An entry of a list in the markup of a channel, which may emphasize the lead and make it a link. */
export interface ItemText {
  readonly tone: Tone
  readonly symbol: string
  readonly lead: string
  readonly rest: string
  /** Not escaped. */
  readonly link: string
}

export function itemText({ tone, symbol, title, brief, link }: MessageEntry, escapeText: Escape): ItemText {
  return { tone, symbol, lead: escapeText(title), rest: escapeText(brief), link }
}

/** For channels without markup. */
function plainItem({ symbol, lead, rest, link }: ItemText): string {
  return `${symbol} ${lead}${rest}\n${link}`
}

/** What all channels show below the title: the facts of the only entry, or one item for each entry; then what concerns all. */
export function bodyOf(list: MessageList, escapeText: Escape, form = plainItem): TextLines {
  const { entries, unlisted, words } = list
  const only = onlyEntry(list)
  return {
    lines: only === undefined ? entries.map((entry) => form(itemText(entry, escapeText))) : [],
    unlisted: only === undefined ? unlisted : 0,
    notes: [...factsOf(list), ...list.notes.flatMap(noteLines)].map((line) => escapeText(line)),
    more: (count) => escapeText(words.counted('more', count)),
  }
}

/** A message about one entry has its facts instead of a list. */
export function onlyEntry({ entries, unlisted }: MessageList): MessageEntry | undefined {
  return entries.length === 1 && unlisted === 0 ? entries[0] : undefined
}

/** All but the list and the notes. */
export function factsOf(list: MessageList): readonly string[] {
  const { changes, remarks } = list
  return [...(onlyEntry(list)?.lines ?? []), ...changes, ...remarks]
}

function noteLines({ runbook, heading, lines }: NoteText): readonly string[] {
  return [...(runbook === null ? [] : [runbook.text]), ...(heading === null ? [] : [heading]), ...lines]
}

/** Links to runbooks, for channels that do not make links of the addresses in a text. */
export function runbookLinks({ notes }: MessageList): readonly { readonly label: string; readonly url: string }[] {
  return notes.flatMap(({ runbook }) =>
    runbook?.isLink ? [{ label: runbook.label, url: new URL(runbook.url).href }] : [],
  )
}
