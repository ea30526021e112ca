import { readFileSync } from 'node:fs'
import { type ChannelName, channelNames, channels } from '../notifications/contacts/channels/index.ts'
import { CommandError } from './command.ts'

interface Property {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly secret?: boolean
}

function propertiesOf(channel: ChannelName): Readonly<Record<string, Property>> {
  return channels[channel].settingsSchema.properties as unknown as Readonly<Record<string, Property>>
}

/** The settings out of `--set key=value` and `--set-file key=path`: of a file, its text without the line break at its end. */
export function settingsFrom(
  channel: ChannelName,
  set: readonly string[],
  setFile: readonly string[],
): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  const keep = (option: string, pair: string, read: (text: string) => string): void => {
    const [, name, text] = /^([A-Za-z]+)=(.*)$/s.exec(pair) ?? []
    if (name === undefined || text === undefined)
      throw new CommandError(`${option} wants the name of a setting, "=" and a value`)
    if (Object.hasOwn(given, name)) throw new CommandError(`${name} is set twice`)
    given[name] = typed(propertiesOf(channel)[name]?.type, read(text))
  }
  for (const pair of set) keep('--set', pair, (text) => text)
  for (const pair of setFile) keep('--set-file', pair, textIn)
  return given
}

function textIn(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new CommandError(`${path === '-' ? 'Standard input' : path} cannot be read (${(error as Error).message})`)
  }
}

/** Text that is no number stays text, and is refused as such. */
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
  return [
    'Settings (secrets are better given by --set-file, so that they stay out of the history of the shell):',
    ...lines,
  ].join('\n')
}

function lineOf(
  key: string,
  { description = '', default: usual, secret }: Property,
  required: readonly string[],
): string {
  const remarks = [
    ...(usual === undefined ? (required.includes(key) ? [] : ['optional']) : [String(usual)]),
    ...(secret === true ? ['secret'] : []),
  ]
  return `    ${key.padEnd(12)} ${description}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`
}
