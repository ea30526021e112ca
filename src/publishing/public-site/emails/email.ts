import { escapeHtml } from '../../../lib/escape-html.ts'
import { oneLine, stripControls } from '../../../lib/text.ts'
import type { PendingSubscriber } from '../../../notifications/subscribers/types.ts'
import type { Email } from '../../../outbound/email.ts'
import { emailLink, renderEmail } from '../../../outbound/email-layout.ts'
import { cleanName, subjectWith } from '../../../outbound/email-subject.ts'
import { html } from '../markup/html.ts'
import type { NoticeContent, PageContext } from './content.ts'

type EmailBody = Pick<Email, 'subject' | 'text' | 'html'>

/** The e-mail about a notice, as a function of the link that unsubscribes. */
export function noticeEmail(notice: NoticeContent, { page, t }: PageContext): (unsubscribe: string) => EmailBody {
  const { subject, title, state, facts, messages, affected, link, linkText } = notice
  const reason = t.text('mailWhy', { name: oneLine(page.name) })
  const top = [
    oneLine(title),
    [state.word, ...facts].join(' · '),
    ...messages.flatMap(({ heading, text }) => [
      '',
      ...(heading === undefined ? [] : [heading, '']),
      stripControls(text).trim(),
    ]),
    ...(affected === null ? [] : ['', oneLine(affected)]),
    '',
    `${linkText}: ${link}`,
  ].join('\n')
  const content = html`<p class="muted" style="margin:0 0 12px;color:#566175;font-size:14px;line-height:20px">${facts.join(' · ')}</p>
${messages.map(({ heading, html: rendered }) => html`${heading !== undefined && html`<h2 style="margin:20px 0 8px;font-size:18px;line-height:26px">${heading}</h2>`}<div>${rendered}</div>`)}
${affected !== null && html`<p style="margin:12px 0 0">${affected}</p>`}`
  return (unsubscribe) => ({
    subject,
    text: `${top}\n\n-- \n${reason}\n${t.text('unsubscribe')}: ${unsubscribe}\n`,
    html: renderEmail({
      locale: t.locale,
      state,
      sender: { name: stripControls(oneLine(page.name)), logoUrl: page.logoUrl },
      preview: stripControls([state.word, ...facts].join(' · ')),
      title: stripControls(oneLine(title)),
      content: String(content),
      button: { text: stripControls(linkText), href: link },
      footer: `${escapeHtml(stripControls(reason))} ${emailLink(t.text('unsubscribe'), unsubscribe)}`,
    }),
  })
}

/** The recipient has not asked for anything yet, so it has no logo and no links except ours. */
export function confirmationEmail(
  { id, address, confirmBy }: PendingSubscriber,
  { page, t }: PageContext,
  link: string,
): Email {
  const name = cleanName(page.name)
  const request = t.text('mailConfirmText', { name })
  const ignore = t.text('mailConfirmIgnore')
  return {
    to: address,
    id: `${id}.${confirmBy}`,
    subject: subjectWith((clean) => t.text('mailConfirmSubject', { name: clean(page.name) })),
    text: `${request}\n\n${link}\n\n${ignore}\n`,
    html: renderEmail({
      locale: t.locale,
      sender: { name: stripControls(name) },
      title: t.text('confirmTitle'),
      paragraphs: [stripControls(request)],
      button: { text: t.text('confirmTitle'), href: link },
      footer: escapeHtml(ignore),
    }),
  }
}
