import type { Severity } from '../message.ts'
import { bodyOf, itemText, onlyEntry, runbookLinks } from '../message-body.ts'
import { countThatFit } from '../text.ts'
import { channel, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Teams refuses messages of more than 28 KB; the rest of the card has to fit as well. */
const MAX_BODY_BYTES = 20_000

const colours: Readonly<Record<Severity, string>> = {
  critical: 'Attention',
  warning: 'Warning',
  good: 'Good',
  info: 'Accent',
}

/** Adaptive Cards interpret `{{DATE(…)}}`. A TextRun has no other markup. */
function escapeText(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ')
}

/** `text` is escaped. */
function run(text: string, style: object = {}) {
  return { type: 'TextRun', text, ...style }
}

function block(...inlines: object[]) {
  return { type: 'RichTextBlock', inlines }
}

export const teams = channel({
  label: 'Microsoft Teams',
  settings: {
    webhookUrl: url('URL of a workflow with the trigger "When a Teams webhook request is received"', {
      secret: true,
    }),
  },
  send({ to, message, ...delivery }) {
    const { words, unlisted } = message
    const entries = onlyEntry(message) === undefined ? message.entries : []
    const blocks = entries.map((entry) => {
      const { symbol, lead, rest, link } = itemText(entry, escapeText)
      const selectAction = { type: 'Action.OpenUrl', url: link }
      return block(run(`${symbol} ${lead}`, { weight: 'Bolder', selectAction }), ...(rest === '' ? [] : [run(rest)]))
    })
    const notes = (bodyOf(message, escapeText).notes ?? []).map((line) => block(run(line)))
    const sizeOf = (part: object) => Buffer.byteLength(JSON.stringify(part)) + 1
    const sizes = blocks.map(sizeOf)
    const count = countThatFit(sizes, MAX_BODY_BYTES, 100, unlisted === 0)
    const missing = entries.length === 0 ? 0 : blocks.length + unlisted - count
    const shown = [...blocks.slice(0, count), ...(missing === 0 ? [] : [block(run(words.counted('more', missing)))])]
    const room = MAX_BODY_BYTES - shown.reduce((sum, part) => sum + sizeOf(part), 0)
    const noted = notes.slice(0, countThatFit(notes.map(sizeOf), room, 0))
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      msteams: { width: 'Full' },
      body: [
        block(run(escapeText(message.title), { weight: 'Bolder', size: 'Medium', color: colours[message.severity] })),
        ...shown,
        ...noted,
      ],
      actions: [
        { type: 'Action.OpenUrl', title: words.text('open'), url: message.link },
        ...runbookLinks(message).map(({ url }) => ({ type: 'Action.OpenUrl', title: words.text('runbook'), url })),
      ],
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    const body = { type: 'message', summary: escapeText(message.title), attachments: [attachment] }
    return postJson(to.webhookUrl, body, { label: 'Microsoft Teams', ...delivery })
  },
})
