import { parseArgs } from 'node:util'
import { type Arguments, type Command, type Option, UsageError } from './command.ts'
import { suggestWord } from './suggest.ts'

const formats = ['table', 'json', 'yaml'] as const
type Format = (typeof formats)[number]

/** The options that every command has. */
const commonOptions: Readonly<Record<string, Option>> = {
  output: { short: 'o', value: 'FORMAT', choices: formats, help: 'Print table, json or yaml (default: table)' },
  json: { help: 'The same as --output json' },
}

/** All options of a command. Its own --output, for example a file, replaces the common one. */
export function optionsOf({ options = {}, hasOwnOutput }: Command): Readonly<Record<string, Option>> {
  if (hasOwnOutput === true) return options
  const common = Object.entries(commonOptions).filter(([name]) => options[name] === undefined)
  return { ...options, ...Object.fromEntries(common) }
}

export function outputFormat({ options }: Arguments): Format {
  const given = options.output ?? (options.json === undefined ? 'table' : 'json')
  const format = formats.find((known) => known === given)
  if (format === undefined) {
    const suggestion = suggestWord(given, formats)
    const problem = `--output must be one of ${formats.join(', ')}, not "${given}"`
    throw new UsageError(problem, suggestion && `--output ${suggestion}`)
  }
  if (options.json !== undefined && format !== 'json') throw new UsageError('Use --output or --json, not both')
  return format
}

/** How the result of a command is printed. A command with its own --output, for example a file, has only --json. */
export function resultFormat({ options = {} }: Command, args: Arguments): Format {
  if (options.output === undefined) return outputFormat(args)
  return args.options.json === undefined ? 'table' : 'json'
}

/** The arguments after the name of the command, checked against its declaration. */
export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const declared = optionsOf(command)
  const options = Object.entries(declared).map(([name, { value, short }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const)
    return [name, { type, ...(short === undefined ? {} : { short }) }] as const
  })
  // Not strict: the tokens are checked here, for better messages.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const values: Record<string, string> = {}
  const repeated: Record<string, string[]> = {}
  const negated = new Set<string>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const opposite = token.name.startsWith('no-') ? token.name.slice('no-'.length) : ''
    if (Object.hasOwn(declared, opposite) && declared[opposite]?.negatable === true) {
      if (token.value !== undefined) throw new UsageError(`Option ${token.rawName} takes no value`)
      negated.add(opposite)
      continue
    }
    const option = Object.hasOwn(declared, token.name) ? declared[token.name] : undefined
    if (option === undefined) throw unknownOption(token.rawName, optionNames(declared))
    const value = checkedValue(token, option)
    if (option.repeats === true) repeated[token.name] = [...(repeated[token.name] ?? []), value]
    else values[token.name] = value
  }
  checkPositionals(command, positionals)
  for (const [name, { required, value }] of Object.entries(declared)) {
    if (required === true && values[name] === undefined) throw new UsageError(`Missing option --${name} ${value}`)
  }
  for (const name of negated) {
    if (values[name] === undefined && repeated[name] === undefined) continue
    throw new UsageError(`Use --${name} or --no-${name}, not both`)
  }
  const parsed = { positionals, options: values, repeated, negated }
  if (declared.output === commonOptions.output) outputFormat(parsed)
  return parsed
}

/** As they are typed, without the two dashes. */
export function optionNames(declared: Readonly<Record<string, Option>>): string[] {
  return Object.entries(declared).flatMap(([name, { negatable }]) =>
    negatable === true ? [name, `no-${name}`] : [name],
  )
}

interface OptionToken {
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function checkedValue({ rawName, value, inlineValue }: OptionToken, option: Option): string {
  if (option.value === undefined) {
    if (value !== undefined) throw new UsageError(`Option ${rawName} takes no value`)
    return 'true'
  }
  // "--name --plan" is a forgotten value; "--name=--plan" is meant. "-" is standard input, and "-7d" begins like a number.
  const isOption = inlineValue !== true && value !== undefined && /^-\D/.test(value)
  if (value === undefined || isOption)
    throw new UsageError(`Option ${rawName} needs a value: ${rawName} ${option.value}`)
  return value
}

function unknownOption(rawName: string, known: readonly string[]): UsageError {
  const suggestion = suggestWord(rawName.replace(/^-+/, ''), known)
  return new UsageError(`Unknown option ${rawName}`, suggestion === undefined ? undefined : `--${suggestion}`)
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const { name, positionals: expected = [], isWrapper, repeatsLast } = command
  if (given.length < expected.length) throw new UsageError(`Missing argument ${expected.slice(given.length).join(' ')}`)
  if (given.length > expected.length && isWrapper !== true && repeatsLast !== true) {
    const takes = expected.length === 0 ? 'takes no arguments' : `takes only ${expected.join(' ')}`
    throw new UsageError(`Unexpected argument "${given[expected.length]}": "pharos ${name}" ${takes}`)
  }
}
