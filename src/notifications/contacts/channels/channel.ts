import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { Transports } from '../../../contract/services.ts'
import type { Message } from '../message.ts'

/** `error` is one sentence for people. */
export type ChannelResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string; readonly retryAfterMs: number | null }

/** One message to send, and everything that sending it needs. */
interface ChannelDelivery<S> extends Transports {
  /** The settings of the contact. */
  readonly to: S
  readonly message: Message
  readonly signal: AbortSignal
  readonly now: number
}

/** A service or protocol that alerts are sent with. */
export interface Channel<P extends TProperties = TProperties> {
  /** The display name of the service. */
  readonly label: string
  readonly settingsSchema: TObject<P>
  /** The service has incidents of its own: it is sent opened and resolved threads instead of single alerts. */
  readonly tracksIncidents: boolean
  /** It delivers only if the operator has set up a mail server. */
  readonly needsMailServer: boolean
  send(delivery: ChannelDelivery<Static<TObject<P>>>): Promise<ChannelResult>
}

type ChannelDefinition<P extends TProperties> = Pick<Channel<P>, 'label' | 'send'> &
  Partial<Channel<P>> & { readonly settings: P }

export function channel<P extends TProperties>(definition: ChannelDefinition<P>): Channel {
  const { label, settings, tracksIncidents = false, needsMailServer = false, send } = definition
  const settingsSchema = Type.Object(settings, { additionalProperties: false })
  return { label, settingsSchema, tracksIncidents, needsMailServer, send } as unknown as Channel
}

/** Annotations of a setting beyond its JSON Schema type. They are part of the answer of `listContactChannels`. */
export interface SettingMarks {
  /** Not shown again after it was saved. */
  readonly secret?: boolean
  /** A URL that this process sends to; it has to pass the address policy. */
  readonly address?: boolean
  /** Decides who receives the secrets: when it changes, all stored secrets have to be entered again. */
  readonly destination?: boolean
  /** A regular expression, and the error message for text that does not match it. */
  readonly form?: string
  readonly must?: string
}

export function text(description: string, marks: SettingMarks & { maxLength?: number } = {}) {
  return Type.String({ minLength: 1, maxLength: 500, description, ...marks })
}

/** A secret for a header or a URL path, which allow visible ASCII characters only. */
export function token(description: string, marks: SettingMarks = {}) {
  return text(description, { secret: true, form: '^[!-~]+$', must: 'must be ASCII without spaces', ...marks })
}

export function url(description: string, marks: SettingMarks = {}) {
  return text(description, { address: true, destination: true, maxLength: 2048, ...marks })
}

export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(schema)
}

/** Appends a path to a base URL with or without a trailing slash. */
export function joinUrl(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`
}
