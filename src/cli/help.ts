import type { Command, UsageError } from './command.ts'
import { optionsOf } from './parse-arguments.ts'

export function overview(commands: readonly Command[]): string {
  return [
    'Pharos: uptime monitoring, alerts and status pages.',
    '',
    'Usage: pharos COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...commandLines(commands.filter((command) => !isGrouped(command))),
    '',
    'Commands that use the API of a server ("pharos login", or PHAROS_URL and PHAROS_API_KEY):',
    ...groupLines(commands.filter(isGrouped)),
    '',
    'Options:',
    '  -h, --help     Show help for a command or a group of commands',
    '  -v, --version  Show the version',
    '',
    'Settings are read from environment variables (see docs/configuration.md).',
    'You can run commands while the server is running.',
    'Run "pharos help COMMAND" for the options of a command.',
  ].join('\n')
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  return [
    `Usage: pharos ${group} COMMAND [OPTIONS]`,
    '',
    'Commands:',
    ...commandLines(commands),
    '',
    `Run "pharos help ${group} COMMAND" for the options of a command.`,
  ].join('\n')
}

export async function commandHelp(command: Command): Promise<string> {
  const rows = Object.entries(optionsOf(command)).map(([name, option]) => {
    const { short, value, required, requiredInBody, negatable, help } = option
    const typed = `${short === undefined ? '' : `-${short}, `}--${negatable === true ? '[no-]' : ''}${name}${value === undefined ? '' : ` ${value}`}`
    return [typed, `${help}${required === true || requiredInBody === true ? ' (required)' : ''}`]
  })
  const usage =
    command.isWrapper === true
      ? `${command.name} [OPTIONS] -- ${command.positionals?.join(' ')}`
      : `${usageOf(command)} [OPTIONS]`
  const { notes = () => [], examples = [], variables = [] } = command
  const parts = [
    [`${command.summary}.`],
    [`Usage: pharos ${usage}`],
    ['Options:', ...aligned([...rows, ['--help', 'Show this help']])],
    await notes(),
    examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `  ${line}`)],
    variables,
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** What is wrong, in one line if it is one thing, what was probably meant, and how to get help. */
export function usageErrorText({ message, suggestion, helpTopic }: UsageError, command: string): string {
  const meant = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  const topic = helpTopic ?? command
  const help = `Run "pharos ${topic === '' ? '' : `${topic} `}--help" for help.`
  return message.includes('\n') ? `${message}\n${help}` : `${message}.${meant} ${help}`
}

function commandLines(commands: readonly Command[]): string[] {
  return aligned(commands.map((command) => [usageOf(command), command.summary]))
}

function isGrouped(command: Command): boolean {
  return 'isGrouped' in command && command.isGrouped === true
}

/** One line per group, with its verbs. */
function groupLines(commands: readonly Command[]): string[] {
  const verbs = new Map<string, string[]>()
  for (const { name } of commands) {
    const [group = '', ...verb] = name.split(' ')
    verbs.set(group, [...(verbs.get(group) ?? []), ...verb])
  }
  return aligned([...verbs].map(([group, names]) => [group, names.join(', ')]))
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', text = '']) => `  ${name.padEnd(width)}  ${text}`)
}

function usageOf({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(' ')
}
