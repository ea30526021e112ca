import { cut } from '../../../lib/text.ts'
import { lineText, texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Slack's bound on the text of one section. */
const SECTION = 3000
/** Enough for a screenful; a message may have 50 sections. */
const MOST = 8000
const HEADER = 150
/** The longest that escaping can make of one character. */
const LONGEST_ENTITY = 5

/** Slack gives these three a meaning (links, mentions, entities); as entities they are themselves again. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Plain text has no formatting and no mentions in it, whatever stands there. */
function plain(text: string) {
  return { type: 'plain_text', text, emoji: false }
}

/** Lines put together to as few sections as will hold them. */
function sections(lines: readonly string[]): string[] {
  const texts: string[] = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last === undefined || last.length + 1 + line.length > SECTION) texts.push(line)
    else texts[texts.length - 1] = `${last}\n${line}`
  }
  return texts
}

export const slack = channel({
  label: 'Slack',
  settings: {
    webhookUrl: address('the address of an incoming webhook, https://hooks.slack.com/services/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const title = escaped(message.title)
    const header = title.length <= HEADER ? title : escaped(cut(message.title, HEADER / LONGEST_ENTITY))
    const lines = fit(
      texts(message, (line) => escaped(lineText(line))),
      MOST,
    )
    const body = {
      text: title,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plain(header) },
        ...sections(lines).map((text) => ({ type: 'section', text: plain(text) })),
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${escaped(message.link)}|Open in Pharos>` }] },
      ],
    }
    return deliver({ label: 'Slack', ...delivery }, jsonLetter(to.webhookUrl, body))
  },
})
