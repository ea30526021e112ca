import type { en } from './en.ts'
import type { ValuesOf } from './template.ts'

export type ReasonCode = keyof typeof en

type Value = string | number | Reason | readonly (string | Reason)[]

/** Why something failed: a code of the catalogue with its values. Instants are ISO texts; nothing in it depends on a reader. */
export interface Reason {
  readonly code: ReasonCode
  readonly values: Readonly<Record<string, Value>>
}

type ValuesFor<C extends ReasonCode> = ValuesOf<(typeof en)[C], Reason>

export function reason<C extends ReasonCode>(
  code: C,
  ...[values]: keyof ValuesFor<C> extends never ? [] : [ValuesFor<C>]
): Reason {
  return { code, values: (values ?? {}) as Reason['values'] }
}

export function isReason(value: unknown): value is Reason {
  return typeof value === 'object' && value !== null && 'code' in value && 'values' in value
}

/** The first items of a list, and how many more there are. */
export function listedReason(shown: readonly (string | Reason)[], total: number): Reason {
  return total > shown.length
    ? reason('and_more', { list: shown, count: total - shown.length })
    : reason('listed', { list: shown })
}
