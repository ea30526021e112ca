import { type Command, UsageError } from './command.ts'
import { suggestCommand, suggestWord } from './suggest.ts'

/** What a command line asks for. */
export type Request<C extends Command> =
  | { readonly do: 'run'; readonly command: C; readonly argv: readonly string[] }
  | { readonly do: 'overview' }
  | { readonly do: 'version' }
  | { readonly do: 'groupHelp'; readonly group: string; readonly commands: readonly C[] }
  | { readonly do: 'commandHelp'; readonly command: C }

const helpOptions = ['--help', '-h']
const versionOptions = ['--version', '-v', 'version']

export function findCommand<C extends Command>(commands: readonly C[], argv: readonly string[]): Request<C> {
  const [first = ''] = argv
  if (isVersionOption(first)) return { do: 'version' }
  // What follows `--` belongs to the command that "pharos run" runs.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const wantsHelp = first === 'help' || own.some((word) => helpOptions.includes(word))
  const words = argv.slice(first === 'help' || helpOptions.includes(first) ? 1 : 0)
  const named = words.slice(0, wordCount(words))
  if (named.length === 0) return withoutCommand(wantsHelp ? [] : argv)
  const command = commands.find(({ name }) => isPrefix(name.split(' '), named))
  if (command !== undefined) {
    if (wantsHelp) return { do: 'commandHelp', command }
    return { do: 'run', command, argv: argv.slice(command.name.split(' ').length) }
  }
  const [group = ''] = named
  const members = commands.filter(({ name }) => name.startsWith(`${group} `))
  if (members.length === 0) throw unknownCommand(commands, named)
  if (named.length === 1) return { do: 'groupHelp', group, commands: members }
  throw unknownMember(group, members, named)
}

export function isVersionOption(word: string): boolean {
  return versionOptions.includes(word)
}

/** How many words stand before the first option. */
function wordCount(words: readonly string[]): number {
  const count = words.findIndex((word) => word.startsWith('-'))
  return count === -1 ? words.length : count
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.every((word, i) => word === long[i])
}

function withoutCommand(argv: readonly string[]): { do: 'overview' } {
  const [option, ...rest] = argv
  if (option === undefined) return { do: 'overview' }
  const problem = rest.some((word) => !word.startsWith('-'))
    ? `Options go after the command, but ${option} comes first`
    : `Unknown option ${option}`
  throw new UsageError(problem)
}

function unknownCommand(commands: readonly Command[], named: readonly string[]): UsageError {
  const [first = ''] = named
  const names = commands.map(({ name }) => name)
  const suggestion = suggestCommand(named, names) ?? suggestWord(first, groupsOf(commands))
  return new UsageError(`Unknown command "${first}"`, suggestion && `pharos ${suggestion}`)
}

function unknownMember(group: string, members: readonly Command[], named: readonly string[]): UsageError {
  const names = members.map(({ name }) => name)
  const suggestion = suggestCommand(named, names)
  const problem = `Unknown command "${named.slice(0, 2).join(' ')}"`
  return new UsageError(problem, suggestion && `pharos ${suggestion}`, group)
}

/** The first words of commands that have two. */
export function groupsOf(commands: readonly Command[]): string[] {
  return [...new Set(commands.flatMap(({ name }) => name.split(' ').slice(0, -1)))]
}
