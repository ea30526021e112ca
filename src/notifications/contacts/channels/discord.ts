import { listText, type Severity } from '../message.ts'
import { fitLines } from '../text.ts'
import { channel, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Discord's limit for the description of an embed. Title, description and footer together may have 6000. */
const MAX_DESCRIPTION = 4096

const colours: Readonly<Record<Severity, number>> = {
  critical: 0xb3132b,
  warning: 0xd67e00,
  good: 0x0fa678,
  info: 0x2b5cc8,
}

/** Escapes every character that Discord's Markdown and mentions use. */
function escapeText(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<:@-]/g, '\\$&')
}

export const discord = channel({
  label: 'Discord',
  settings: {
    webhookUrl: url('webhook URL, https://discord.com/api/webhooks/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const lines = listText(message, escapeText, ({ symbol, lead, rest }) => `**${symbol} ${lead}**${rest}`)
    const body = {
      // The text of the push notification. A title is far below the limit of 2000.
      content: escapeText(message.title),
      // Mentions in the text notify nobody.
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: 'Open in Pharos',
          url: message.link,
          description: fitLines(lines, MAX_DESCRIPTION).join('\n'),
          color: colours[message.severity],
          timestamp: new Date(message.at).toISOString(),
        },
      ],
    }
    return postJson(to.webhookUrl, body, { label: 'Discord', ...delivery })
  },
})
