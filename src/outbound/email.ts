import type { createTransport, Transporter } from 'nodemailer'
import { oneLine, truncate } from '../lib/text.ts'
import { untilAborted } from './deadline.ts'

export interface Email {
  readonly to: string
  /** The same when the same is sent again. */
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Beside those that every letter has. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Why a letter was not taken: there is no such recipient (`rejected`), the mail server did not want this one (`refused`), or
 * it takes none at all at the moment (`unreachable`).
 */
export type EmailFault = 'rejected' | 'refused' | 'unreachable'

export type EmailResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly fault: EmailFault; readonly error: string }

/** Hands a letter to the mail server; what came of it, with a sentence where it was not taken. */
export type SendEmail = (letter: Email, signal: AbortSignal) => Promise<EmailResult>

export interface SmtpSettings {
  /** Such as smtp://user:password@mail.example.com:587. */
  readonly url: string
  /** The sender: an address, or a name and an address in angle brackets. */
  readonly from: string
}

export interface EmailPool {
  readonly send: SendEmail
  close(): void
}

const PATIENCE_MS = 15_000

const common = {
  connectionTimeout: PATIENCE_MS,
  greetingTimeout: PATIENCE_MS,
  dnsTimeout: PATIENCE_MS,
  socketTimeout: PATIENCE_MS,
  // What stands in a letter is text: nothing in it makes this process read files or addresses.
  disableFileAccess: true,
  disableUrlAccess: true,
} as const

/** Sends each letter over a connection of its own: for few of them, now and then. */
export function createEmailSender({ url, from }: SmtpSettings): SendEmail {
  return mailOver(lazily({ url, ...common }).open, from)
}

/** Sends over a few connections that are kept: many letters at a time do not cost a greeting and a login each. */
export function openEmailPool({ url, from }: SmtpSettings, connections: number): EmailPool {
  const { open, close } = lazily({
    ...{ url, ...common },
    pool: true,
    maxConnections: connections,
    // What the server closed while nothing was under way is tried once more; everything else is for the sender to decide.
    maxRequeues: 1,
  })
  return { send: mailOver(open, from), close }
}

/** A way to the mail server that is opened with the first letter: what it takes is much source. */
function lazily(options: Parameters<typeof createTransport>[0]) {
  let transport: Transporter | undefined
  return {
    async open(): Promise<Transporter> {
      const { createTransport } = await import('nodemailer')
      transport ??= createTransport(options)
      return transport
    },
    close: () => transport?.close(),
  }
}

function mailOver(open: () => Promise<Transporter>, from: string): SendEmail {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'pharos.invalid'
  return async ({ to, id, subject, text, html, headers }, signal) => {
    if (signal.aborted) return { ok: false, fault: 'unreachable', error: 'It was not sent in time' }
    const sending = open().then((transport) =>
      transport.sendMail({
        ...{ from, to, subject, text, html },
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
        messageId: `<${id}@${domain}>`,
      }),
    )
    try {
      await untilAborted(sending, signal)
      return { ok: true }
    } catch (error) {
      return signal.aborted
        ? { ok: false, fault: 'unreachable', error: 'The mail server did not answer in time' }
        : { ok: false, ...smtpFaultOf(error as SmtpError) }
    }
  }
}

/** What nodemailer says of a failure. */
export interface SmtpError {
  readonly code?: string
  readonly command?: string
  /** The mail server's own words, where it said any. */
  readonly response?: string
  readonly responseCode?: number
  readonly message?: string
}

export function smtpFaultOf({ code, command, response, responseCode = 0, message }: SmtpError): {
  readonly fault: EmailFault
  readonly error: string
} {
  const words = truncate(oneLine(response ?? message ?? 'no reason was given'), 200)
  if (response === undefined) return { fault: 'unreachable', error: `The mail server was not reached: ${words}` }
  const error = `The mail server refused: ${words}`
  if (command === 'RCPT TO' && responseCode >= 500) {
    return { fault: isAboutRecipient(response) ? 'rejected' : 'refused', error }
  }
  // A login that is refused, a greeting or a sender that is not welcome, and 421: whoever the letter is for, it is the same.
  const isAboutLetter = responseCode !== 421 && command !== 'MAIL FROM' && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return { fault: isAboutLetter ? 'refused' : 'unreachable', error }
}

/**
 * Whether a refusal says that nobody is there (RFC 3463: 5.1 is about the address, 5.2 about the mailbox). A server that will
 * not relay, or does not like us, says so to every recipient, and none of them is to blame.
 */
function isAboutRecipient(response: string): boolean {
  const subject = /^5\d\d[ -]5\.(\d{1,3})\.\d{1,3}\b/.exec(response)?.[1]
  if (subject !== undefined) return subject === '1' || subject === '2'
  return /^55[0-3]/.test(response) && !/relay|authenticat|block|spam|reputation|policy/i.test(response)
}
