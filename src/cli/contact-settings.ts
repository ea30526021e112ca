import { type ChannelName, channelNames, channels } from '../notifications/contacts/channels/index.ts'
import { UsageError } from './command.ts'
import { readInput } from './input.ts'

interface Property {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly secret?: boolean
}

function propertiesOf(channel: ChannelName): Readonly<Record<string, Property>> {
  return channels[channel].settingsSchema.properties as unknown as Readonly<Record<string, Property>>
}

/** The settings from `--set key=value` and `--set-file key=path`. */
export function settingsFrom(
  channel: ChannelName,
  set: readonly string[],
  setFile: readonly string[],
): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  const add = (option: string, pair: string, read: (text: string) => string): void => {
    const [, name, text] = /^([A-Za-z]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || text === undefined)
      throw new UsageError(`${option} must have the form KEY=${option === '--set' ? 'VALUE' : 'FILE'}`)
    if (Object.hasOwn(given, name)) throw new UsageError(`Setting ${name} is given twice`)
    given[name] = typed(propertiesOf(channel)[name]?.type, read(text))
  }
  for (const pair of set) add('--set', pair, (text) => text)
  for (const pair of setFile) add('--set-file', pair, readInput)
  return given
}

/** Text that is not a number is left as it is: the validation of the settings rejects it. */
function typed(type: string | undefined, text: string): unknown {
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/** The settings of every channel, for the help. */
export function describeSettings(): string {
  const lines = channelNames.flatMap((name) => {
    const { properties, required = [] } = channels[name].settingsSchema as {
      properties: object
      required?: readonly string[]
    }
    return [
      '',
      `  ${name.toLowerCase()}`,
      ...Object.entries(properties).map(([key, property]) => lineOf(key, property, required)),
    ]
  })
  return ['Settings by channel (use --set-file for secrets, to keep them out of your shell history):', ...lines].join(
    '\n',
  )
}

function lineOf(
  key: string,
  { description = '', default: defaultValue, secret }: Property,
  required: readonly string[],
): string {
  const remarks = [
    ...(defaultValue === undefined ? (required.includes(key) ? [] : ['optional']) : [`default: ${defaultValue}`]),
    ...(secret === true ? ['secret'] : []),
  ]
  return `    ${key.padEnd(12)} ${description}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`
}
