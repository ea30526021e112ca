import { kinds } from '../configuration/kinds/definitions.ts'
import type { Fields } from '../configuration/kinds/fields.ts'
import type { KindName } from '../configuration/kinds/kind.ts'
import type { Fault } from '../contract/errors.ts'
import type { Installation } from '../contract/operation.ts'

/** Its own host and which private addresses are allowed is up to the installation that the document is applied to. */
const installation = { baseUrl: 'http://pharos.invalid', webhooks: { policy: 'allow' } } as Installation

/** Whether a value contains a variable, which has no value yet. */
type IsOpen = (value: unknown) => boolean

/**
 * The resource as the server accepts it, whatever the values of its variables are. Of `removable`, paths with what people call them, it leaves out what the server would
 * refuse and adds a loss. If something else is wrong, the answer has the reason.
 */
export function accepted(
  kind: KindName,
  fields: Fields,
  removable: Readonly<Record<string, string>>,
  losses: string[],
  isOpen: IsOpen = () => false,
): { readonly fields: Fields } | { readonly reason: string } {
  const faults = faultsIn(kind, fields, isOpen)
  let kept = fields
  for (const { path, message } of faults) {
    const part = Object.keys(removable).find((one) => path === one || path.startsWith(`${one}.`))
    if (part === undefined) return { reason: `Pharos does not accept it: ${nameOf(path)} ${message}.` }
    if (!has(kept, part.split('.'))) continue
    kept = without(kept, part.split('.'))
    losses.push(`The ${removable[part]} is left out, because it is not valid: ${nameOf(path)} ${message}.`)
  }
  const [left] = faults.length > 0 ? faultsIn(kind, kept, isOpen) : []
  return left ? { reason: `Pharos does not accept it: ${nameOf(left.path)} ${left.message}.` } : { fields: kept }
}

/** Why a plan would refuse a resource. */
export function faultsIn(kind: KindName, fields: Fields, isOpen: IsOpen = () => false): readonly Fault[] {
  const result = kinds[kind].read(fields, installation)
  return 'faults' in result ? result.faults.filter(({ path }) => !isOpen(valueAt(fields, path))) : []
}

/** Undefined if there is none: something else than a value is wrong then. */
function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value
  const [name = '', ...rest] = path.split('.')
  const member = (value as Fields | null | undefined)?.[name]
  return member === undefined ? undefined : valueAt(member, rest.join('.'))
}

/** `settings.routingKey` is the routing key. */
function nameOf(path: string): string {
  const last = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? ''
  return last.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function has(fields: unknown, [name = '', ...rest]: readonly string[]): boolean {
  const value = (fields as Fields | undefined)?.[name]
  return value !== undefined && (rest.length === 0 || has(value, rest))
}

function without(fields: Fields, [name = '', ...rest]: readonly string[]): Fields {
  const { [name]: member, ...others } = fields
  if (rest.length === 0) return others
  const left = without(member as Fields, rest)
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left }
}
