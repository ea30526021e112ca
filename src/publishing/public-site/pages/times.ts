import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { Translator } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'

/** A moment, which visitors can switch to their local time. */
export function time(at: number, t: Translator, text = t.moment(at)): SafeHtml {
  return html`<time datetime="${isoTimestamp(at)}">${text}</time>`
}

export function timeRange(from: number, to: number, t: Translator): SafeHtml {
  return html`<time datetime="${isoTimestamp(from)}" data-to="${isoTimestamp(to)}">${t.range(from, to)}</time>`
}

/** A text with a moment in it: "since Nov 18, 9:05 AM". */
export function textWithTime(key: 'since' | 'updatedAt', at: number, t: Translator, text = t.moment(at)): SafeHtml {
  const [before, after] = t.text(key, { time: '\n' }).split('\n')
  return html`${before}${time(at, t, text)}${after}`
}
