import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { lineParts, texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel, optional, text, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Telegram's bound, which it counts without the markup; ours counts with it, and so stays below. */
const MESSAGE = 4096

/** Markup as itself, and no mention: a bot that writes @name rings at whoever that is. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('@', '@\u2060')
}

export const telegram = channel({
  label: 'Telegram',
  settings: {
    botToken: token('the token that @BotFather gave', {
      form: '^\\d+:[A-Za-z0-9_-]+$',
      must: 'must look like 123456:ABC-DEF',
    }),
    chatId: text('the number of the chat, or @name of a channel', {
      form: '^(-?\\d{1,20}|@[A-Za-z0-9_]{4,32})$',
      must: 'must be a number or @ and the name of a channel',
    }),
    threadId: optional(Type.Integer({ minimum: 1, description: 'the number of the topic in a group that has topics' })),
    apiUrl: defaulted(address('where the Bot API is'), 'https://api.telegram.org'),
  },
  send({ to, message, ...delivery }) {
    const title = `<b>${escaped(message.title)}</b>`
    const footer = `<a href="${escaped(message.link)}">Open in Pharos</a>`
    const lines = texts(message, (line) => {
      const [lead, rest] = lineParts(line)
      return `<b>${escaped(lead)}</b>${escaped(rest)}`
    })
    const body = {
      chat_id: to.chatId,
      ...(to.threadId === undefined ? {} : { message_thread_id: to.threadId }),
      text: [title, '', ...fit(lines, MESSAGE - title.length - footer.length - 4), '', footer].join('\n'),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    }
    const url = under(to.apiUrl, `/bot${to.botToken}/sendMessage`)
    return deliver({ label: 'Telegram', ...delivery }, jsonLetter(url, body))
  },
})
