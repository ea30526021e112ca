import { escapeHtml } from '../../lib/escape-html.ts'
import type { Email } from '../../outbound/email.ts'
import type { EmailSubject } from '../../outbound/email-subject.ts'

interface AccountEmailContent {
  readonly to: string
  readonly subject: EmailSubject
  readonly paragraphs: readonly string[]
  readonly link: string
}

/** The link follows the first paragraph. */
export function accountEmail(id: string, { to, subject, paragraphs, link }: AccountEmailContent): Email {
  const [opening = '', ...rest] = paragraphs
  const text = [opening, link, ...rest].join('\n\n')
  const html = [
    `<p>${escapeHtml(opening)}</p>`,
    `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`,
    ...rest.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
  ].join('\n')
  return { to, id, subject, text: `${text}\n`, html }
}
