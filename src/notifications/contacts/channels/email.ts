import { escapeHtml } from '../../../lib/escape-html.ts'
import { lineParts, listText, type Message } from '../message.ts'
import { fitLines } from '../text.ts'
import { channel, text } from './channel.ts'

const MAX_CHARACTERS = 20_000

function plainBody(message: Message): string {
  return `${fitLines(listText(message), MAX_CHARACTERS).join('\n')}\n\n${message.link}\n`
}

function htmlBody(message: Message): string {
  const { title, link } = message
  const lines = listText(message, (line) => {
    const [lead, rest] = lineParts(line)
    return `<b>${escapeHtml(lead)}</b>${escapeHtml(rest)}`
  })
  const items = fitLines(lines, MAX_CHARACTERS).map((item) => `<li style="overflow-wrap:anywhere">${item}</li>`)
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<h2 style="overflow-wrap:anywhere">${escapeHtml(title)}</h2>`,
    `<ul style="list-style:none;padding:0">${items.join('')}</ul>`,
    `<p><a href="${escapeHtml(link)}">Open in Pharos</a></p>`,
    '</body></html>',
  ].join('\n')
}

export const email = channel({
  label: 'E-mail',
  settings: {
    address: text('recipient', {
      maxLength: 254,
      form: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$",
      must: 'must be one e-mail address',
    }),
  },
  async send({ to, message, mail, signal }) {
    if (mail === undefined) {
      const error = 'No mail server is configured: set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, then restart Pharos'
      return { ok: false, error, retryAfterMs: null }
    }
    const email = {
      to: to.address,
      id: message.id,
      subject: message.emailSubject,
      text: plainBody(message),
      html: htmlBody(message),
    }
    const result = await mail(email, signal)
    return result.ok ? result : { ok: false, error: result.error, retryAfterMs: null }
  },
})
