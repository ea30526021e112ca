import type { Command, UsageError } from './command.ts'
import { groupSections, overviewSections } from './help-sections.ts'
import { optionsOf } from './parse-arguments.ts'

export function overview(commands: readonly Command[]): string {
  const words = [...new Set(commands.map(({ name }) => name.split(' ')[0] as string))]
  const sections = Object.entries(overviewSections)
  const known = sections.flatMap(([, described]) => Object.keys(described))
  const others = Object.fromEntries(words.filter((word) => !known.includes(word)).map((word) => [word, '']))
  const rowOf = (word: string, text: string): readonly string[] => {
    const command = commands.find(({ name }) => name === word)
    return text === '' && command !== undefined ? [usageOf(command), command.summary] : [word, text]
  }
  const rows = [...sections, ['Other', others] as const].map(([title, described]) => {
    return [title, Object.entries(described).map(([word, text]) => rowOf(word, text))] as const
  })
  return [
    'Pharos: uptime monitoring, alerts and status pages.',
    '',
    'Usage: pharos COMMAND [OPTIONS]',
    '',
    ...sectionLines(rows),
    'Options:',
    '  -h, --help     Show help for a command or a group of commands',
    '  -v, --version  Show the version',
    '',
    'Settings are read from environment variables (see docs/configuration.md).',
    'You can run commands while the server is running.',
    'Run "pharos help COMMAND" for the commands of a group, or the options of a command.',
  ].join('\n')
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  const sections = Object.entries(groupSections[group] ?? {})
  const known = sections.flatMap(([, verbs]) => verbs)
  const verbOf = ({ name }: Command) => name.split(' ')[1] ?? ''
  const others = commands.filter((command) => !known.includes(verbOf(command)))
  const rowsOf = (chosen: readonly Command[]) => chosen.map((command) => [usageOf(command), command.summary])
  const rows = sections.map(([title, verbs]) => {
    return [title, rowsOf(verbs.flatMap((verb) => commands.filter((command) => verbOf(command) === verb)))] as const
  })
  return [
    `Usage: pharos ${group} COMMAND [OPTIONS]`,
    '',
    ...sectionLines([...rows, [sections.length === 0 ? 'Commands' : 'Other', rowsOf(others)]]),
    `Run "pharos help ${group} COMMAND" for the options of a command.`,
  ].join('\n')
}

type Section = readonly [title: string, rows: readonly (readonly string[])[]]

/** All rows are aligned with each other. Sections without rows are left out. */
function sectionLines(sections: readonly Section[]): string[] {
  const lines = aligned(sections.flatMap(([, rows]) => rows))
  return sections.flatMap(([title, rows]) => {
    const own = lines.splice(0, rows.length)
    return own.length === 0 ? [] : [`${title}:`, ...own, '']
  })
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

function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', text = '']) => `  ${name.padEnd(width)}  ${text}`)
}

function usageOf({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(' ')
}
