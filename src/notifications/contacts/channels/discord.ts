import type { Severity } from '../message.ts'
import { bodyOf, runbookLinks } from '../message-body.ts'
import { fitLines } from '../text.ts'
import { channel, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Discord's limit for the description of an embed. Title, description and footer together may have 6000. */
const MAX_DESCRIPTION = 4096
/** Of the links to runbooks, whose addresses are in the text as well. */
const MAX_LINK = 500
const MAX_LINKS = 3

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

/** A parenthesis would end the address of a link. */
function inParentheses(url: string): string {
  return url.replaceAll('(', '%28').replaceAll(')', '%29')
}

export const discord = channel({
  label: 'Discord',
  settings: {
    webhookUrl: url('webhook URL, https://discord.com/api/webhooks/…', { secret: true }),
  },
  send({ to, message, ...delivery }) {
    const body = bodyOf(
      message,
      escapeText,
      ({ symbol, lead, rest, link }) => `**[${symbol} ${lead}](${link})**${rest}`,
    )
    const links = runbookLinks(message)
      .map(({ url }) => `[${escapeText(message.words.text('runbook'))}](${inParentheses(url)})`)
      .filter((link) => link.length <= MAX_LINK)
      .slice(0, MAX_LINKS)
      .join(' ')
    const lines = fitLines(body, MAX_DESCRIPTION - links.length - 1)
    const request = {
      // The text of the push notification. A title is far below the limit of 2000.
      content: escapeText(message.title),
      // Mentions in the text notify nobody.
      allowed_mentions: { parse: [] },
      embeds: [
        {
          title: message.words.text('open'),
          url: message.link,
          description: [...lines, ...(links === '' ? [] : [links])].join('\n'),
          color: colours[message.severity],
          timestamp: new Date(message.at).toISOString(),
        },
      ],
    }
    return postJson(to.webhookUrl, request, { label: 'Discord', ...delivery })
  },
})
