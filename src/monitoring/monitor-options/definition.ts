import type { TSchema } from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import type { MonitorType } from '../monitor-types/definitions.ts'

/** Stands for a stored secret in answers, and in changes that keep it. */
export const SECRET_SET = 'set'

/** Everything that tells one option of monitors from the others: a resource below the monitor, absent by default. */
export interface OptionDefinition<T> {
  /** What people call it. */
  readonly noun: string
  /** How it works and what its default is, for the API reference. */
  readonly description: string
  /** The monitor types that it fits. */
  readonly types: readonly MonitorType[]
  /** The body of a PUT. */
  readonly body: TSchema
  /** Default: DEFAULT_BODY_BYTES. */
  readonly bodyLimitBytes?: number
  /** What GET answers. */
  readonly answer: TSchema
  /** The answer; `value` is undefined if the option is not set. Secrets in it are masked. */
  readonly render: (value: T | undefined, context: RenderContext) => unknown
  /** Rules that the schema cannot express. The body may be incomplete, and secrets in it may be masked. */
  readonly faults?: (body: Readonly<Record<string, unknown>>) => readonly Fault[]
  /** What of it does not fit a monitor of this type, which is one of `types`. */
  readonly misfits?: (value: T, type: MonitorType) => readonly Fault[]
  /** Members that contain secrets, by dotted path. `*` is every item of a list. */
  readonly secrets?: Readonly<Record<string, SecretMember>>
  readonly example: { readonly body: T; readonly answer: unknown }
}

export interface RenderContext {
  readonly now: number
  /** The delays between the attempts of a check, unless the monitor has its own. */
  readonly confirmDelaysSeconds: readonly number[]
}

export interface SecretMember {
  /** `secret`: the member as a whole. `url`: the user name and password of an address. */
  readonly kind: 'secret' | 'url'
  /** Members that the secret belongs to, such as the address that it is sent to. If one changes, the secret is needed again. */
  readonly keptWith?: { readonly members: readonly string[]; readonly fault: string }
}
