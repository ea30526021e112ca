import { createTransport } from 'nodemailer'
import { untilAborted } from '../outbound/deadline.ts'
import { cut, oneLine } from './text.ts'

export interface MailLetter {
  readonly to: string
  /** The same when the same is sent again. */
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Hands a letter to the mail server; null, or why it was not taken, in a sentence. */
export type Mail = (letter: MailLetter, signal: AbortSignal) => Promise<string | null>

export interface MailSettings {
  /** Such as smtp://user:password@mail.example.com:587. */
  readonly url: string
  /** The sender: an address, or a name and an address in angle brackets. */
  readonly from: string
}

const PATIENCE_MS = 15_000

export function createMail({ url, from }: MailSettings): Mail {
  const transport = createTransport({
    url,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    dnsTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    // What stands in a letter is text: nothing in it makes this process read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'pharos.invalid'
  return async ({ to, id, subject, text, html }, signal) => {
    const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
    const sending = transport.sendMail({ from, to, subject, text, html, headers, messageId: `<${id}@${domain}>` })
    try {
      await untilAborted(sending, signal)
      return null
    } catch (error) {
      return signal.aborted ? 'The mail server did not answer in time' : reasonOf(error)
    }
  }
}

/** The mail server's own words, where it said any. */
function reasonOf(error: unknown): string {
  const { response, message } = error as { response?: string; message?: string }
  if (response) return `The mail server refused: ${cut(oneLine(response), 200)}`
  return `The mail server was not reached: ${cut(oneLine(message ?? String(error)), 200)}`
}
