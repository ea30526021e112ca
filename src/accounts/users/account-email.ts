import type { Email } from '../../outbound/email.ts'
import { emailLink, pharosSender, renderEmail } from '../../outbound/email-layout.ts'
import type { EmailSubject } from '../../outbound/email-subject.ts'

interface AccountEmailContent {
  readonly to: string
  readonly subject: EmailSubject
  /** The link follows the first paragraph. */
  readonly paragraphs: readonly string[]
  readonly link: string
  /** The text of the button that opens the link. */
  readonly button: string
}

/** An e-mail about an account or an address, with one link. */
export function accountEmail(id: string, { to, subject, paragraphs, link, button }: AccountEmailContent): Email {
  const [opening = '', ...rest] = paragraphs
  const text = [opening, link, ...rest].join('\n\n')
  const html = renderEmail({
    sender: pharosSender,
    title: subject,
    paragraphs: [opening],
    button: { text: button, href: link },
    notes: rest,
    footer: `If the button does not work, open this link: ${emailLink(link, link)}`,
  })
  return { to, id, subject, text: `${text}\n`, html }
}
