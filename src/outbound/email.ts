import type { Transporter } from 'nodemailer'
import { oneLine, truncate } from '../lib/text.ts'
import { untilAborted } from './deadline.ts'
import type { EmailSubject } from './email-subject.ts'
import { hostOf, isLoopback } from './urls.ts'

export interface Email {
  readonly to: string
  /** Becomes the Message-ID: the same when the same email is sent again. */
  readonly id: string
  readonly subject: EmailSubject
  readonly text: string
  readonly html: string
  /** Added to those that every email has. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Why an email was not accepted: the recipient does not exist (`rejected`), the mail server refused this email (`refused`),
 * or it accepts none at the moment (`unreachable`).
 */
export type EmailFault = 'rejected' | 'refused' | 'unreachable'

type EmailResult = { readonly ok: true } | { readonly ok: false; readonly fault: EmailFault; readonly error: string }

/** Hands an email to the mail server. Does not throw. */
export type SendEmail = (email: Email, signal: AbortSignal) => Promise<EmailResult>

export interface SmtpSettings {
  /** Such as smtp://user:password@mail.example.com:587. */
  readonly url: string
  /** The sender: an address, or a name and an address in angle brackets. */
  readonly from: string
}

const TIMEOUT_MS = 15_000

const common = {
  connectionTimeout: TIMEOUT_MS,
  greetingTimeout: TIMEOUT_MS,
  dnsTimeout: TIMEOUT_MS,
  socketTimeout: TIMEOUT_MS,
  // Nothing in an email may make this process read files or URLs.
  disableFileAccess: true,
  disableUrlAccess: true,
} as const

/** Opens a new connection for each email. */
export function createEmailSender(settings: SmtpSettings): SendEmail {
  return openTransport(settings, common).send
}

/** Keeps connections open: for many emails at a time, without a handshake and a login for each. */
export function openEmailPool(settings: SmtpSettings, connections: number) {
  // One retry, for when the server closed an idle connection. The caller decides about every other failure.
  return openTransport(settings, { ...common, pool: true, maxConnections: connections, maxRequeues: 1 })
}

/** What makes the parameters of `smtp://` known to nodemailer; it ignores others. Those of TLS begin with `tls.`. */
export const SMTP_PARAMETERS = ['requireTLS', 'ignoreTLS', 'name', 'authMethod'] as const

/**
 * Whether nothing is sent to a mail server without TLS. Without `requireTLS` nodemailer encrypts if the server offers it, which
 * somebody in between can prevent: so a login is sent unencrypted to this machine only, unless the URL asks for it.
 */
export function requiresTls(url: URL): boolean {
  const { protocol, username, password, searchParams } = url
  if (protocol === 'smtps:') return true
  const asked = searchParams.get('requireTLS')
  if (asked !== null) return !/^(false|0|)$/.test(asked)
  return (username !== '' || password !== '') && !searchParams.has('ignoreTLS') && !isLoopback(hostOf(url))
}

function openTransport({ url, from }: SmtpSettings, options: object) {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'pharos.invalid'
  let transport: Transporter | undefined

  async function deliver({ to, id, subject, text, html, headers }: Email): Promise<void> {
    // Loaded with the first email: it is much source.
    const { createTransport } = await import('nodemailer')
    transport ??= createTransport({ url, ...options, ...(requiresTls(new URL(url)) && { requireTLS: true }) })
    await transport.sendMail({
      from,
      to,
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...headers },
      messageId: `<${id}@${domain}>`,
    })
  }

  const send: SendEmail = async (email, signal) => {
    if (signal.aborted) return { ok: false, fault: 'unreachable', error: 'Sending timed out' }
    try {
      await untilAborted(deliver(email), signal)
      return { ok: true }
    } catch (error) {
      return signal.aborted
        ? { ok: false, fault: 'unreachable', error: 'Mail server timed out' }
        : { ok: false, ...smtpFaultOf(error as SmtpError) }
    }
  }

  return { send, close: () => transport?.close() }
}

/** The fields of a nodemailer error that are read here. */
export interface SmtpError {
  readonly code?: string
  readonly command?: string
  /** The mail server's reply, if there was one. */
  readonly response?: string
  readonly responseCode?: number
  readonly message?: string
}

export function smtpFaultOf({ code, command, response, responseCode = 0, message }: SmtpError): {
  readonly fault: EmailFault
  readonly error: string
} {
  const words = truncate(oneLine(response ?? message ?? 'no reason was given'), 200)
  if (command === 'STARTTLS') {
    return { fault: 'unreachable', error: `Mail server could not be reached: TLS did not start (${words})` }
  }
  if (response === undefined) return { fault: 'unreachable', error: `Mail server could not be reached: ${words}` }
  const error = `The mail server refused: ${words}`
  if (command === 'RCPT TO' && responseCode >= 500) {
    return { fault: isAboutRecipient(response) ? 'rejected' : 'refused', error }
  }
  // A refused login, greeting or sender, and code 421, apply to every email.
  const isAboutEmail = responseCode !== 421 && command !== 'MAIL FROM' && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return { fault: isAboutEmail ? 'refused' : 'unreachable', error }
}

/**
 * Whether a refusal says that the recipient does not exist (RFC 3463: 5.1 is about the address, 5.2 about the mailbox). A
 * server that does not relay, or blocks us, refuses every recipient.
 */
function isAboutRecipient(response: string): boolean {
  const subject = /^5\d\d[ -]5\.(\d{1,3})\.\d{1,3}\b/.exec(response)?.[1]
  if (subject !== undefined) return subject === '1' || subject === '2'
  return /^55[0-3]/.test(response) && !/relay|authenticat|block|spam|reputation|policy/i.test(response)
}
