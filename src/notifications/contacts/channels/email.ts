import { escapeHtml } from '../../../lib/escape-html.ts'
import { oneLine } from '../../../lib/text.ts'
import { utcTimeText } from '../../../lib/timestamp.ts'
import { pharosSender, renderEmail, stateItem } from '../../../outbound/email-layout.ts'
import { requestedSubject } from '../../../outbound/email-subject.ts'
import { listText, type Message, type MessageLine } from '../message.ts'
import { fitLines, noMarkup } from '../text.ts'
import { channel, text } from './channel.ts'

const MAX_CHARACTERS = 20_000

/** Why the recipient gets the e-mail. */
function reasonFor({ organization }: Message): string {
  return `You get this because you are an alert contact of ${oneLine(organization)}.`
}

function plainBody(message: Message): string {
  return `${fitLines(listText(message, noMarkup), MAX_CHARACTERS).join('\n')}\n\n${message.link}\n\n${reasonFor(message)}\n`
}

/** Gmail cuts an e-mail at 102 KB. */
const MAX_HTML_CHARACTERS = 60_000
const MAX_NOTES_CHARACTERS = 30_000
/** The markup of a paragraph. */
const PARAGRAPH_CHARACTERS = 200

const tones = { critical: 'down', warning: 'degraded', good: 'up', info: 'neutral' } as const

function htmlBody(message: Message): string {
  const { title, link, lines, severity, unlisted } = message
  const [only] = lines
  const isSingle = lines.length === 1 && unlisted === 0 && only !== undefined
  return renderEmail({
    sender: pharosSender,
    title,
    ...(isSingle ? singleDesign(only) : listDesign(message)),
    ...(!isSingle && { state: { tone: tones[severity], word: severityWords[severity] } }),
    notes: notesIn(message),
    button: { text: link.includes('/incidents/') ? 'View incident' : 'Open in Pharos', href: link },
    footer: `${escapeHtml(reasonFor(message))} Alert contacts are under Settings in Pharos.`,
  })
}

const severityWords = { critical: 'Down', warning: 'Warning', good: 'Resolved', info: 'Info' } as const

function singleDesign({ tone, state, reason, target, duration, at }: MessageLine) {
  const isTest = state === 'Test'
  const facts = [
    { label: 'Cause', value: isTest ? null : reason },
    { label: 'Duration', value: duration },
    { label: isTest ? 'Sent by' : 'Target', value: target },
    { label: duration !== null ? 'Ended' : /down|Degraded/i.test(state) ? 'Since' : 'Time', value: utcTimeText(at) },
  ]
  return {
    state: { tone, word: state },
    ...(isTest && { paragraphs: [`${reason}.`] }),
    facts: facts.flatMap(({ label, value }) => (value === null ? [] : [{ label, value }])),
  }
}

function listDesign(message: Message) {
  const { lines, unlisted } = listText(message, escapeHtml, ({ tone, lead, rest }) => stateItem(tone, lead, rest))
  return { content: fitLines({ lines, unlisted }, MAX_HTML_CHARACTERS).join('\n') }
}

/** As many as fit, as plain text: the layout escapes them. */
function notesIn({ notes }: Message): readonly string[] {
  const texts = { lines: [], unlisted: 0, notes: notes.map(({ plainText }) => plainText) }
  return fitLines(texts, MAX_NOTES_CHARACTERS, (line) => escapeHtml(line).length + PARAGRAPH_CHARACTERS)
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
