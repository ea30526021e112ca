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
const versionOptions = ['--version', '-v']

export function findCommand<C extends Command>(commands: readonly C[], argv: readonly string[]): Request<C> {
  const [first = ''] = argv
  if (isVersionOption(first)) return { do: 'version' }
  const wantsHelp = first === 'help' || argv.some((word) => helpOptions.includes(word))
  const words = argv.slice(first === 'help' || helpOptions.includes(first) ? 1 : 0)
  const named = words.slice(0, wordCount(words))
  if (named.length === 0) return withoutCommand(wantsHelp ? [] : argv)
  const command = commands.find(({ name }) => isPrefix(name.split(' '), named))
  if (command !== undefined) {
    if (wantsHelp) return { do: 'commandHelp', command }
    return { do: 'run', command, argv: argv.slice(command.name.split(' ').length) }
  }
  const group = groupOf(commands, named)
  if (group === undefined) throw unknownCommand(commands, named)
  const members = commands.filter(({ name }) => name.startsWith(`${group} `))
  if (wantsHelp && named.join(' ') === group) return { do: 'groupHelp', group, commands: members }
  throw unknownMember(group, members, named)
}

export function isVersionOption(word: string): boolean {
  return versionOptions.includes(word)
}

/** The longest beginning that is a group, such as `admin contacts`. */
function groupOf(commands: readonly Command[], named: readonly string[]): string | undefined {
  const beginnings = named.map((_, i) => named.slice(0, i + 1).join(' '))
  return beginnings.findLast((beginning) => commands.some(({ name }) => name.startsWith(`${beginning} `)))
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
  const names = commands.map(({ name }) => name)
  const groups = groupsOf(commands)
  // "contacts list" for "admin contacts list".
  const inGroup =
    names.find((name) => name.endsWith(` ${named.slice(0, 2).join(' ')}`)) ??
    groups.find((group) => group.endsWith(` ${named[0]}`))
  const suggestion = suggestCommand(named, names) ?? inGroup ?? suggestWord(named[0] as string, groups)
  return new UsageError(`Unknown command "${named[0]}"`, suggestion && `pharos ${suggestion}`)
}

function unknownMember(group: string, members: readonly Command[], named: readonly string[]): UsageError {
  const size = group.split(' ').length
  const words = [...new Set(members.map(({ name }) => name.split(' ')[size]))].join(', ')
  if (named.length === size) return new UsageError(`"pharos ${group}" needs a command: ${words}`, undefined, group)
  const names = members.map(({ name }) => name)
  const suggestion = suggestCommand(named, names)
  const problem = `Unknown command "${named.slice(0, size + 1).join(' ')}"`
  return new UsageError(problem, suggestion && `pharos ${suggestion}`, group)
}

/** `monitors`, `admin` and `admin contacts`. */
export function groupsOf(commands: readonly Command[]): string[] {
  return [...new Set(commands.flatMap(({ name }) => beginningsOf(name)))]
}

/** The beginnings of a name without its last word. */
export function beginningsOf(name: string): string[] {
  const words = name.split(' ')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join(' '))
}
