import type { MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { MASK, maskUrl, replaceUserInfo, userInfoOf } from '../../lib/mask.ts'
import { reason } from '../../reasons/reason.ts'
import { SECRET_SET, type SecretMember } from './definition.ts'
import { type OptionName, optionNamed, optionNames } from './definitions.ts'

/** The real values of masked members, by option and dotted path. */
export type OptionSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>

type Value = Readonly<Record<string, unknown>>

/** The options with masked secrets, and the secrets. */
export function maskOptions(options: MonitorOptions): { masked: MonitorOptions; secrets: OptionSecrets | undefined } {
  const secrets: Record<string, Record<string, string>> = {}
  const masked = mapOptions(options, (name, value) =>
    mapSecrets(name, value, (member, secret, path) => {
      const shown = maskOf(member, secret)
      if (shown !== secret) secrets[name] = { ...secrets[name], [path]: secret }
      return shown
    }),
  )
  return { masked, secrets: Object.keys(secrets).length === 0 ? undefined : secrets }
}

/** The options with their secrets. */
export function unmaskOptions(masked: MonitorOptions, secrets: OptionSecrets | undefined): MonitorOptions {
  if (secrets === undefined) return masked
  return mapOptions(masked, (name, value) =>
    mapSecrets(name, value, (_member, shown, path) => secrets[name]?.[path] ?? shown),
  )
}

/** A new value with stored secrets in place of their masks, and a fault for each mask that stands for no stored secret. */
export function keepSecrets(
  name: OptionName,
  given: object,
  stored: object | undefined,
): { value: object; faults: Fault[] } {
  const faults: Fault[] = []
  const value = mapSecrets(name, given as Value, (member, shown, path, index) => {
    if (!isMask(member, shown)) return shown
    const secret = memberAt(stored, path)
    if (typeof secret !== 'string' || maskOf(member, secret) !== shown) {
      faults.push(faultFor(path, reason('secret_missing')))
      return shown
    }
    const isOther = (pattern: string) => isChanged(given, stored, pattern.replace('*', index))
    if (member.keptWith?.members.some(isOther) !== true) return secret
    faults.push({ path, message: member.keptWith.fault })
    return shown
  })
  return { value, faults }
}

/** A masked address is the stored one: its own secret is kept only then. */
function isChanged(given: object, stored: object | undefined, path: string): boolean {
  const [now, old] = [memberAt(given, path), memberAt(stored, path)]
  return now !== old && (typeof old !== 'string' || now !== maskUrl(old))
}

function maskOf({ kind }: SecretMember, value: string): string {
  return kind === 'url' ? maskUrl(value) : SECRET_SET
}

function isMask({ kind }: SecretMember, value: string): boolean {
  return kind === 'url' ? userInfoOf(value)?.split(':').includes(MASK) === true : value === SECRET_SET
}

function mapOptions(options: MonitorOptions, map: (name: OptionName, value: Value) => Value): MonitorOptions {
  const entries = optionNames.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [[name, map(name, value as unknown as Value)]]
  })
  return Object.fromEntries(entries)
}

/** The options with other texts in place of their secrets. Of an address, the user name and password are replaced. */
export function replaceOptionSecrets(
  options: MonitorOptions,
  replace: (secret: string, path: string) => string,
): MonitorOptions {
  return mapOptions(options, (name, value) =>
    mapSecrets(name, value, ({ kind }, text, path) => {
      const at = `${name}.${path}`
      return kind === 'url' ? replaceUserInfo(text, (userInfo) => replace(userInfo, at)) : replace(text, at)
    }),
  )
}

/** `index` is that of the item in a list. */
type MapSecret = (member: SecretMember, value: string, path: string, index: string) => string

function mapSecrets(name: OptionName, value: Value, map: MapSecret): Value {
  let mapped = value
  for (const [pattern, member] of Object.entries(optionNamed(name).secrets ?? {})) {
    const [list = '', isListed] = pattern.split('.*.')
    const items = isListed === undefined ? [''] : Object.keys((memberAt(value, list) as object | undefined) ?? {})
    for (const index of items) {
      const path = pattern.replace('*', index)
      mapped = replaceAt(mapped, path.split('.'), (text) => map(member, text, path, index)) as Value
    }
  }
  return mapped
}

function replaceAt(value: unknown, [name, ...rest]: readonly string[], replace: (text: string) => string): unknown {
  if (name === undefined) return typeof value === 'string' ? replace(value) : value
  const member = memberAt(value, name)
  if (member === undefined) return value
  const replaced = replaceAt(member, rest, replace)
  return Array.isArray(value) ? value.with(Number(name), replaced) : { ...(value as Value), [name]: replaced }
}

function memberAt(value: unknown, path: string): unknown {
  const isStructure = (at: unknown): at is Value => typeof at === 'object' && at !== null
  return path.split('.').reduce<unknown>((at, name) => (isStructure(at) ? at[name] : undefined), value)
}
