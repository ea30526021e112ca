import { truncate } from '../../../lib/text.ts'
import { lineText, listText } from '../message.ts'
import { fitLines } from '../text.ts'
import { channel, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Slack's limit for the text of one section. */
const MAX_SECTION = 3000
/** About a screenful; Slack allows 50 sections. */
const MAX_TEXT = 8000
/** Slack's limit for the text of a header. */
const MAX_HEADER = 150
/** The length of `&amp;`, the longest entity that escaping produces. */
const MAX_ENTITY = 5

/** Slack parses these three characters even in plain text (links, mentions, entities). */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function plainText(text: string) {
  return { type: 'plain_text', text, emoji: false }
}

/** Packs lines into as few sections as possible. */
function packSections(lines: readonly string[]): string[] {
  const texts: string[] = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last === undefined || last.length + 1 + line.length > MAX_SECTION) texts.push(line)
    else texts[texts.length - 1] = `${last}\n${line}`
  }
  return texts
}

export const slack = channel({
  label: 'Slack',
  settings: {
    webhookUrl: url('URL of an incoming webhook, https://hooks.slack.com/services/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const title = escapeSlackText(message.title)
    const header =
      title.length <= MAX_HEADER ? title : escapeSlackText(truncate(message.title, MAX_HEADER / MAX_ENTITY))
    const lines = fitLines(
      listText(message, (line) => escapeSlackText(lineText(line)), escapeSlackText),
      MAX_TEXT,
    )
    const body = {
      text: title,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plainText(header) },
        ...packSections(lines).map((text) => ({ type: 'section', text: plainText(text) })),
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${escapeSlackText(message.link)}|Open in Pharos>` }] },
      ],
    }
    return postJson(to.webhookUrl, body, { label: 'Slack', ...delivery })
  },
})
