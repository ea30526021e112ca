import { truncate } from '../../../lib/text.ts'
import { listText } from '../message.ts'
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

/** Slack parses these three characters even in plain text (links, mentions, entities). Text that is longer than `max` then is cut. */
export function escapeSlackText(text: string, max = Number.POSITIVE_INFINITY): string {
  const whole = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return whole.length <= max ? whole : escapeSlackText(truncate(text, Math.floor(max / MAX_ENTITY)))
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
    const lines = fitLines(listText(message, escapeSlackText), MAX_TEXT)
    const body = {
      text: escapeSlackText(message.title),
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plainText(escapeSlackText(message.title, MAX_HEADER)) },
        ...packSections(lines).map((text) => ({ type: 'section', text: plainText(text) })),
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${escapeSlackText(message.link)}|Open in Pharos>` }] },
      ],
    }
    return postJson(to.webhookUrl, body, { label: 'Slack', ...delivery })
  },
})
