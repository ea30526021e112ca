import type { MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { isObject } from '../../lib/json.ts'
import { type MonitorType, monitorTypes } from '../monitor-types/definitions.ts'
import { type OptionName, optionNamed, optionNames } from './definitions.ts'
import { keepSecrets } from './secrets.ts'

/** Why a monitor of this type cannot have the option. */
export function misfits(name: OptionName, value: object, type: MonitorType): readonly Fault[] {
  const { noun, types, misfits: parts } = optionNamed(name)
  if (types.includes(type)) return parts?.(value, type) ?? []
  return [
    { path: 'body', message: `does not fit: ${type} monitors have no ${noun}, only ${types.join(', ')} monitors do` },
  ]
}

/** The options that a monitor of this type can have. */
export function fittingOptions(options: MonitorOptions, type: MonitorType): MonitorOptions {
  const entries = Object.entries(options) as [OptionName, object][]
  return Object.fromEntries(entries.filter(([name, value]) => misfits(name, value, type).length === 0))
}

/** What is wrong with the `options` in a body that may be malformed. Masks of secrets are not judged. */
export function optionFaults({ type, options }: Readonly<Record<string, unknown>>): Fault[] {
  const known = monitorTypes.find((name) => name === type)
  if (!isObject(options) || known === undefined) return []
  return optionNames.flatMap((name) => {
    const value = options[name]
    if (!isObject(value)) return []
    const own = optionNamed(name).faults?.(value) ?? []
    return (own.length > 0 ? own : misfits(name, value, known)).map((fault) => inOptions(name, fault))
  })
}

/** The options with stored secrets in place of their masks, and a fault for each mask that stands for no stored secret. */
export function keepAllSecrets(given: MonitorOptions, stored: MonitorOptions) {
  const kept = (Object.entries(given) as [OptionName, object][]).map(([name, value]) => {
    return { name, ...keepSecrets(name, value, stored[name]) }
  })
  return {
    options: Object.fromEntries(kept.map(({ name, value }) => [name, value])) as MonitorOptions,
    faults: kept.flatMap(({ name, faults }) => faults.map((fault) => inOptions(name, fault))),
  }
}

export function inOptions(name: OptionName, { path, message }: Fault): Fault {
  return { path: path === 'body' ? `options.${name}` : `options.${name}.${path}`, message }
}
