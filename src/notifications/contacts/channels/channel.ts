import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { Mail } from '../../../outbound/mail.ts'
import type { Post } from '../../../outbound/post.ts'
import type { Message } from '../message.ts'

/** What came of it: sent, or why not, in a sentence. */
export type Sent =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string; readonly retryAfterMs: number | null }

/** The ways out of this process. */
export interface Ways {
  readonly post: Post
  /** Absent where the operator has set up no mail server. */
  readonly mail: Mail | undefined
}

export interface Errand<S> extends Ways {
  readonly to: S
  readonly message: Message
  readonly signal: AbortSignal
  readonly now: number
}

/** One way of telling people. */
export interface Channel<P extends TProperties = TProperties> {
  /** The service, as people call it. */
  readonly label: string
  readonly settings: TObject<P>
  /** It keeps incidents of its own: told when something begins and when it is over, and of nothing between. */
  readonly keepsIncidents: boolean
  send(errand: Errand<Static<TObject<P>>>): Promise<Sent>
}

interface Declared<P extends TProperties> {
  readonly label: string
  readonly settings: P
  readonly keepsIncidents?: boolean
  send(errand: Errand<Static<TObject<P>>>): Promise<Sent>
}

export function channel<P extends TProperties>({ keepsIncidents = false, ...declared }: Declared<P>): Channel {
  const settings = Type.Object(declared.settings, { additionalProperties: false })
  return { ...declared, settings, keepsIncidents } as unknown as Channel
}

/** What is said of a setting beyond its type (see settings.ts). */
export interface Marks {
  /** Never shown again. */
  readonly secret?: boolean
  /** An address that something is sent to: where it leads is judged. */
  readonly address?: boolean
  /** The form of the text, as a regular expression, and what to say of text in any other. */
  readonly form?: string
  readonly must?: string
}

export function text(description: string, marks: Marks & { maxLength?: number } = {}) {
  return Type.String({ minLength: 1, maxLength: 500, description, ...marks })
}

/** Something that travels in a header or a path, so that nothing but plain visible characters can be in it. */
export function token(description: string, marks: Marks = {}) {
  return text(description, { secret: true, form: '^[!-~]+$', must: 'must have no spaces and only ASCII', ...marks })
}

export function address(description: string, marks: Marks = {}) {
  return text(description, { address: true, maxLength: 2048, ...marks })
}

export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(schema)
}

/** The address of a service with a path behind it, whether or not it was given with a slash at its end. */
export function under(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`
}
