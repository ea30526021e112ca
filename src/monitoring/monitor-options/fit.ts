import type { MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { isObject } from '../../contract/validate.ts'
import { type MonitorType, monitorTypes } from '../monitor-types/definitions.ts'
import { type OptionName, optionNamed, optionNames } from './definitions.ts'
import { keepSecrets } from './secrets.ts'

/** Why a monitor of this type cannot have the option. */
export function misfits(name: OptionName, value: object, type: MonitorType): readonly Fault[] {
  const { noun, types, misfits: parts } = optionNamed(name)
  if (types.includes(type)) return parts?.(value, type) ?? []
  return [{ path: 'body', message: `${type} monitors have no ${noun}; only ${types.join(', ')} monitors do` }]
}

/** The options that a monitor of this type can have. */
export function fittingOptions(options: MonitorOptions, type: MonitorType): MonitorOptions {
  const entries = Object.entries(options) as [OptionName, object][]
  return Object.fromEntries(entries.filter(([name, value]) => misfits(name, value, type).length === 0))
}

/** What is wrong with the `options` of a monitor that is not stored. The body may be malformed. */
export function optionFaults({ type, options }: Readonly<Record<string, unknown>>): Fault[] {
  const known = monitorTypes.find((name) => name === type)
  if (!isObject(options) || known === undefined) return []
  return optionNames.flatMap((name) => {
    const value = options[name]
    if (!isObject(value)) return []
    const { faults } = optionNamed(name)
    const own = faults?.(value) ?? []
    const found = own.length > 0 ? own : [...keepSecrets(name, value, undefined).faults, ...misfits(name, value, known)]
    return found.map(({ path, message }) => ({
      path: path === 'body' ? `options.${name}` : `options.${name}.${path}`,
      message,
    }))
  })
}
