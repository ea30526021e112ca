import { createMarkdownRenderer } from '../../lib/markdown.ts'
import { oneLine, stripControls } from '../../lib/text.ts'

/** What somebody noted on a monitor, in Markdown. */
interface RenderedNote {
  /** Without markup, for channels that have none. */
  readonly lines: readonly string[]
  /** Safe HTML. */
  readonly html: string
}

/** A line fits into one block of every channel. */
const LINE = /.{1,500}/gu
/** The heading above a note in an e-mail. */
const HEADING_LEVEL = 2

const markdown = createMarkdownRenderer()

/** The same notes are in every message about a monitor, to every contact. A note has at most 4,000 characters. */
const MAX_CACHED = 200
const cache = new Map<string, RenderedNote>()

export function renderNote(source: string): RenderedNote {
  let note = cache.get(source)
  if (note === undefined) {
    const { html, lines } = markdown.renderWithLines(stripControls(source), HEADING_LEVEL)
    note = { html, lines: lines.map(indentedLine).filter(Boolean).flatMap(wrapped) }
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(source, note)
  }
  return note
}

function indentedLine(line: string): string {
  const text = oneLine(line)
  return text === '' ? '' : (/^(?: {2}){0,5}(?=[•\d])/.exec(line)?.[0] ?? '') + text
}

function wrapped(line: string): string[] {
  return line.match(LINE) ?? []
}
