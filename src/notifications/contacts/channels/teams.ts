import { lineText, type Severity } from '../message.ts'
import { countThatFit, moreText } from '../text.ts'
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
    const blocks = message.lines.map((line) => {
      const { symbol, lead, rest } = lineText(line, escapeText)
      return block(run(`${symbol} ${lead}`, { weight: 'Bolder' }), run(rest))
    })
    const notes = message.notes.map(({ plainText }) => block(run(escapeText(plainText))))
    const sizeOf = (part: object) => Buffer.byteLength(JSON.stringify(part)) + 1
    const sizes = blocks.map(sizeOf)
    const count = countThatFit(sizes, MAX_BODY_BYTES, 100, message.unlisted === 0)
    const missing = blocks.length + message.unlisted - count
    const shown = [...blocks.slice(0, count), ...(missing === 0 ? [] : [block(run(moreText(missing)))])]
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
      actions: [{ type: 'Action.OpenUrl', title: 'Open in Pharos', url: message.link }],
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    const body = { type: 'message', summary: escapeText(message.title), attachments: [attachment] }
    return postJson(to.webhookUrl, body, { label: 'Microsoft Teams', ...delivery })
  },
})
