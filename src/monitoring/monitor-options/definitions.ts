import Type, { type TUnsafe } from 'typebox'
import type { MonitorOptions } from '../../contract/check-options.ts'
import { assertions } from './assertions.ts'
import { confirmation } from './confirmation.ts'
import type { OptionDefinition } from './definition.ts'
import { dialogue } from './dialogue.ts'
import { legacyAddress } from './legacy-address.ts'
import { notes } from './notes.ts'
import { request } from './request.ts'
import { schedule } from './schedule.ts'

export type OptionName = keyof MonitorOptions

type Definitions = { readonly [K in OptionName]-?: OptionDefinition<NonNullable<MonitorOptions[K]>> }

const all: Definitions = { assertions, request, dialogue, schedule, confirmation, notes, legacyAddress }

export const optionNames = Object.keys(all) as OptionName[]

/** The definition of an option whose name is known only when the program runs. */
export function optionNamed(name: OptionName): OptionDefinition<object> {
  return all[name] as unknown as OptionDefinition<object>
}

/** All options together. */
export const MonitorOptionsInput = Type.Object(
  Object.fromEntries(optionNames.map((name) => [name, Type.Optional(optionNamed(name).body)])),
  { title: 'MonitorOptions', additionalProperties: false, description: 'As the PUT operations take them, one by one' },
) as unknown as TUnsafe<MonitorOptions>
