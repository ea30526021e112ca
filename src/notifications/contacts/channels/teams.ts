import { lineParts, type Severity } from '../message.ts'
import { howMany, moreText } from '../text.ts'
import { address, channel } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Teams refuses messages of more than 28 KB; the frame takes its part. */
const BODY_BYTES = 20_000

const colours: Readonly<Record<Severity, string>> = {
  critical: 'Attention',
  warning: 'Warning',
  good: 'Good',
  info: 'Accent',
}

/** Adaptive Cards put dates where two braces stand. Everything else is taken as it is: a run of text knows no Markdown. */
function plain(text: string): string {
  return text.replaceAll('{{', '{ {')
}

function run(text: string, style: object = {}) {
  return { type: 'TextRun', text: plain(text), ...style }
}

function block(...inlines: object[]) {
  return { type: 'RichTextBlock', inlines }
}

export const teams = channel({
  label: 'Microsoft Teams',
  settings: {
    webhookUrl: address('the address that a workflow "When a Teams webhook request is received" was given', {
      secret: true,
    }),
  },
  send({ to, message, ...delivery }) {
    const blocks = message.lines.map((line) => {
      const [lead, rest] = lineParts(line)
      return block(run(lead, { weight: 'Bolder' }), run(rest))
    })
    const sizes = blocks.map((part) => Buffer.byteLength(JSON.stringify(part)) + 1)
    const count = howMany(sizes, BODY_BYTES, 100, message.unlisted === 0)
    const missing = blocks.length + message.unlisted - count
    const shown = [...blocks.slice(0, count), ...(missing === 0 ? [] : [block(run(moreText(missing)))])]
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      msteams: { width: 'Full' },
      body: [
        block(run(message.title, { weight: 'Bolder', size: 'Medium', color: colours[message.severity] })),
        ...shown,
      ],
      actions: [{ type: 'Action.OpenUrl', title: 'Open in Pharos', url: message.link }],
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }
    const body = { type: 'message', summary: plain(message.title), attachments: [attachment] }
    return deliver({ label: 'Microsoft Teams', ...delivery }, jsonLetter(to.webhookUrl, body))
  },
})
