import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { escapeHtml } from '../../../lib/escape-html.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines } from '../text.ts'
import { channel, joinUrl, optional, text, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Telegram's limit. Telegram does not count markup, but we do, so the text always fits. */
const MAX_MESSAGE = 4096

/** A word joiner after @ keeps the text from mentioning, and so notifying, a Telegram user. */
function escapeText(text: string): string {
  return escapeHtml(text).replaceAll('@', '@\u2060')
}

export const telegram = channel({
  label: 'Telegram',
  settings: {
    botToken: token('bot token from @BotFather', {
      form: '^\\d+:[A-Za-z0-9_-]+$',
      must: 'must look like 123456:ABC-DEF',
    }),
    chatId: text('chat id, or @name of a channel', {
      form: '^(-?\\d{1,20}|@[A-Za-z0-9_]{4,32})$',
      must: 'must be a chat id or @name of a channel',
    }),
    threadId: optional(Type.Integer({ minimum: 1, description: 'topic id, in a group with topics' })),
    apiUrl: defaulted(url('URL of the Bot API'), 'https://api.telegram.org'),
  },
  send({ to, message, ...delivery }) {
    const title = `<b>${escapeText(message.title)}</b>`
    const footer = `<a href="${escapeHtml(message.link)}">${escapeText(message.words.text('open'))}</a>`
    const lines = bodyOf(
      message,
      escapeText,
      ({ symbol, lead, rest, link }) => `${symbol} <a href="${escapeHtml(link)}"><b>${lead}</b></a>${rest}`,
    )
    const body = {
      chat_id: to.chatId,
      ...(to.threadId === undefined ? {} : { message_thread_id: to.threadId }),
      text: [title, '', ...fitLines(lines, MAX_MESSAGE - title.length - footer.length - 4), '', footer].join('\n'),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    }
    const endpoint = joinUrl(to.apiUrl, `/bot${to.botToken}/sendMessage`)
    return postJson(endpoint, body, { label: 'Telegram', ...delivery })
  },
})
