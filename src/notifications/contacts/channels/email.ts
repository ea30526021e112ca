import { escapeHtml } from '../../../lib/escape-html.ts'
import { oneLine } from '../../../lib/text.ts'
import { aside, emailLink, pharosSender, renderEmail, stateItem } from '../../../outbound/email-layout.ts'
import { requestedSubject } from '../../../outbound/email-subject.ts'
import type { Message } from '../message.ts'
import { bodyOf, factsOf, onlyEntry } from '../message-body.ts'
import { fitLines, noMarkup } from '../text.ts'
import type { NoteText } from '../write-notes.ts'
import { channel, text } from './channel.ts'

const MAX_CHARACTERS = 20_000

/** Why the recipient gets the e-mail, and what the times in it are. */
function footerOf({ organization, words }: Message): string {
  const parts = [
    words.text('whyYou', { organization: oneLine(organization) }),
    words.text('timesIn', { zone: words.zone }),
  ]
  return parts.join(' ')
}

function plainBody(message: Message): string {
  const { title, link, words } = message
  const body = fitLines(bodyOf(message, noMarkup), MAX_CHARACTERS).join('\n')
  return `${title}\n\n${body}\n\n${words.text('open')}: ${link}\n\n${footerOf(message)}\n`
}

/** Gmail cuts an e-mail at 102 KB. */
const MAX_LIST_CHARACTERS = 60_000
const MAX_NOTES_CHARACTERS = 30_000

function htmlBody(message: Message): string {
  const { title, link, tone, word, words } = message
  const facts = factsOf(message)
  return renderEmail({
    locale: words.language,
    sender: pharosSender,
    preview: facts.slice(0, 2).join(' · '),
    state: { tone, word },
    title,
    ...(onlyEntry(message) === undefined ? {} : { lines: facts }),
    content: [...listIn(message), ...notesIn(message)].join('\n'),
    button: { text: words.text('open'), href: link },
    footer: `${escapeHtml(footerOf(message))} ${escapeHtml(words.text('whereContacts'))}`,
  })
}

/** The entries, and below them what concerns all. */
function listIn(message: Message): readonly string[] {
  if (onlyEntry(message) !== undefined) return []
  const item = ({ tone, lead, rest, link }: Parameters<NonNullable<Parameters<typeof bodyOf>[2]>>[0]) =>
    stateItem(tone, lead, rest, link)
  const list = bodyOf(message, escapeHtml, item)
  const below = factsOf(message).map((line) => `<p style="margin:10px 0 0">${escapeHtml(line)}</p>`)
  return [...fitLines({ ...list, notes: [] }, MAX_LIST_CHARACTERS), ...below]
}

/** As many as fit, rendered. */
function notesIn({ notes }: Message): readonly string[] {
  let room = MAX_NOTES_CHARACTERS
  return notes.flatMap(({ runbook, heading, html }) => {
    const link = runbook === null ? '' : runbookLine(runbook)
    const part = aside(heading, link + html)
    room -= part.length
    return room < 0 ? [] : [part]
  })
}

function runbookLine({ label, text, url, isLink }: NonNullable<NoteText['runbook']>): string {
  return `<p style="margin:0 0 6px">${isLink ? emailLink(label, url) : escapeHtml(text)}</p>`
}

export const email = channel({
  label: 'E-mail',
  needsMailServer: true,
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
      subject: requestedSubject(message.title),
      text: plainBody(message),
      html: htmlBody(message),
    }
    const result = await mail(email, signal)
    return result.ok ? result : { ok: false, error: result.error, retryAfterMs: null }
  },
})
