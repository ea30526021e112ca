import { truncate } from '../../../lib/text.ts'
import type { Message } from '../message.ts'
import { bodyOf, itemText, onlyEntry, runbookLinks } from '../message-body.ts'
import { countThatFit, fitLines } from '../text.ts'
import { channel, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Slack's limit for one text. */
const MAX_TEXT_BLOCK = 3000
/** About a screenful. */
const MAX_TEXT = 8000
/** Slack allows 50 blocks. */
const MAX_ITEMS = 40
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

/** Only our own texts are Markdown. */
function linkTo(address: string, text: string) {
  return { type: 'mrkdwn', text: `<${escapeSlackText(address)}|${escapeSlackText(text)}>` }
}

/** Packs lines into as few sections as possible. */
function packSections(lines: readonly string[]): object[] {
  const texts: string[] = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last === undefined || last.length + 1 + line.length > MAX_TEXT_BLOCK) texts.push(line)
    else texts[texts.length - 1] = `${last}\n${line}`
  }
  return texts.map((text) => ({ type: 'section', text: plainText(text) }))
}

/** One block with a link for each entry of a list. */
function itemBlocks(message: Message): object[] {
  const { entries, unlisted, words } = message
  if (onlyEntry(message) !== undefined) return []
  const items = entries.map((entry) => {
    const { symbol, lead, rest, link } = itemText(entry, escapeSlackText)
    return { text: `${symbol} ${lead}${rest}`, link }
  })
  const fitting = countThatFit(
    items.map(({ text }) => text.length),
    MAX_TEXT,
    0,
  )
  const shown = items.slice(0, Math.min(fitting, MAX_ITEMS))
  const missing = items.length + unlisted - shown.length
  return [
    ...shown.map(({ text, link }) => ({
      type: 'context',
      elements: [plainText(text), linkTo(link, words.text('openOne'))],
    })),
    ...(missing === 0 ? [] : packSections([escapeSlackText(words.counted('more', missing))])),
  ]
}

export const slack = channel({
  label: 'Slack',
  settings: {
    webhookUrl: url('URL of an incoming webhook, https://hooks.slack.com/services/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const { title, link, words } = message
    const runbooks = runbookLinks(message).map(({ url }) => linkTo(url, words.text('runbook')))
    const body = { ...bodyOf(message, escapeSlackText), lines: [], unlisted: 0 }
    const request = {
      text: escapeSlackText(title),
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'header', text: plainText(escapeSlackText(title, MAX_HEADER)) },
        ...itemBlocks(message),
        ...packSections(fitLines(body, MAX_TEXT)),
        { type: 'context', elements: [linkTo(link, words.text('open')), ...runbooks] },
      ],
    }
    return postJson(to.webhookUrl, request, { label: 'Slack', ...delivery })
  },
})
