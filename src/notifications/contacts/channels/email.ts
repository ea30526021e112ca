import { cut } from '../../../lib/text.ts'
import { lineParts, type Message, texts } from '../message.ts'
import { fit } from '../text.ts'
import { channel, text } from './channel.ts'

/** A mail may be long, but nobody reads further. */
const MOST_CHARACTERS = 20_000

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function plainBody(message: Message): string {
  return `${fit(texts(message), MOST_CHARACTERS).join('\n')}\n\n${message.link}\n`
}

function htmlBody(message: Message): string {
  const { title, link } = message
  const lines = texts(message, (line) => {
    const [lead, rest] = lineParts(line)
    return `<b>${escaped(lead)}</b>${escaped(rest)}`
  })
  const items = fit(lines, MOST_CHARACTERS).map((item) => `<li style="overflow-wrap:anywhere">${item}</li>`)
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<h2 style="overflow-wrap:anywhere">${escaped(title)}</h2>`,
    `<ul style="list-style:none;padding:0">${items.join('')}</ul>`,
    `<p><a href="${escaped(link)}">Open in Pharos</a></p>`,
    '</body></html>',
  ].join('\n')
}

export const email = channel({
  label: 'E-mail',
  settings: {
    address: text('who gets the mail', {
      maxLength: 254,
      form: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$",
      must: 'must be one e-mail address',
    }),
  },
  async send({ to, message, mail, signal }) {
    if (mail === undefined) {
      const error = 'No mail server is set up: set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, and start Pharos again'
      return { ok: false, error, retryAfterMs: null }
    }
    const letter = {
      to: to.address,
      id: message.id,
      subject: cut(message.title, 150),
      text: plainBody(message),
      html: htmlBody(message),
    }
    const mailed = await mail(letter, signal)
    return mailed.ok ? mailed : { ok: false, error: mailed.error, retryAfterMs: null }
  },
})
