import { lineParts, type Severity, texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Discord's bound on an embed's description; title, description and footer together may have 6000. */
const DESCRIPTION = 4096

const colours: Readonly<Record<Severity, number>> = {
  critical: 0xb3132b,
  warning: 0xd67e00,
  good: 0x0fa678,
  info: 0x2b5cc8,
}

/** Every character that Discord's Markdown and mentions are made of, as itself. */
function escaped(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()<:@-]/g, '\\$&')
}

export const discord = channel({
  label: 'Discord',
  settings: {
    webhookUrl: address('the address of a webhook, https://discord.com/api/webhooks/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const lines = texts(message, (line) => {
      const [lead, rest] = lineParts(line)
      return `**${escaped(lead)}**${escaped(rest)}`
    })
    const body = {
      // Shown in the notification; the bound of 2000 is far from a title.
      content: escaped(message.title),
      // Whatever looks like a mention tells nobody.
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: 'Open in Pharos',
          url: message.link,
          description: fit(lines, DESCRIPTION).join('\n'),
          color: colours[message.severity],
          timestamp: new Date(message.at).toISOString(),
        },
      ],
    }
    return deliver({ label: 'Discord', ...delivery }, jsonLetter(to.webhookUrl, body))
  },
})
