import { type OptionName, optionNames } from '../monitor-options/definitions.ts'
import { getOption } from './get-option.ts'
import { removeOption } from './remove-option.ts'
import { setOption } from './set-option.ts'

/** GET, PUT and DELETE of every option. */
export const optionOperations = optionNames.flatMap((name: OptionName) => [
  getOption(name),
  setOption(name),
  removeOption(name),
])
