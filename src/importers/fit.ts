import type { Fields } from '../configuration/kinds/fields.ts'
import type { KindName } from '../configuration/kinds/kind.ts'
import { faultsIn } from './accepted.ts'

/** A resource that a plan accepts, or why there is none. */
type Fit = { readonly fields: Fields; readonly losses: readonly string[] } | { readonly reason: string }

/** Leaves out optional fields that a plan would refuse: one object with a strange value must not stop a whole import. */
export function fit(kind: KindName, fields: Fields): Fit {
  const faults = faultsIn(kind, fields)
  if (faults.length === 0) return { fields, losses: [] }
  const bad = new Set(faults.map(({ path }) => path.split('.')[0]))
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !bad.has(name)))
  const sentences = faults.map(({ path, message }) => `${path} ${message}`.trim())
  if (faultsIn(kind, rest).length > 0) return { reason: `Pharos does not accept it: ${sentences.join('; ')}.` }
  return { fields: rest, losses: sentences.map((text) => `A setting is left out: ${text}.`) }
}
