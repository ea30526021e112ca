import { cleanJson } from '../lib/json.ts'
import { writeYaml } from '../lib/write-yaml.ts'
import { readFiles } from '../server/config/read-files.ts'
import { clientVariables } from '../server/config/unknown-variables.ts'
import { groups } from './api/groups.ts'
import { cleanText } from './clean-text.ts'
import { colorStates, usesColor } from './color-states.ts'
import {
  type Arguments,
  type ClientCommand,
  CommandError,
  type Report,
  type ServerCommand,
  UsageError,
} from './command.ts'
import { environment } from './environment.ts'
import { findCommand, isVersionOption } from './find-command.ts'
import { healthcheckCommand } from './healthcheck.ts'
import { commandHelp, groupHelp, overview, usageErrorText } from './help.ts'
import { importHistoryCommand } from './import/history-command.ts'
import { mcpCommand } from './mcp/command.ts'
import { type outputFormat, parseArguments, resultFormat } from './parse-arguments.ts'
import { runCommandLine } from './run.ts'
import { serverCommands } from './server-commands.ts'
import { createPrivateFilesOnly } from './umask.ts'
import { version } from './version.ts'

type RunnableCommand = ServerCommand | ClientCommand

const USAGE_EXIT_CODE = 2

/**
 * Runs one command line. Wrong usage prints one line and exits with 2; other expected errors exit with 1. Bugs also print a
 * stack.
 */
export async function runCommand(argv: readonly string[]): Promise<void> {
  createPrivateFilesOnly()
  let helpTopic = ''
  try {
    const commands = await commandsFor(argv)
    const request = findCommand(commands, argv)
    if (request.do !== 'run') {
      print(await informationFor(request, commands))
      return
    }
    const { command } = request
    helpTopic = command.name
    const args = parseArguments(command, request.argv)
    const report = await execute(command, args)
    if (report === undefined) return
    print(output(report, resultFormat(command, args)))
    process.exitCode = report.exitCode ?? 0
  } catch (error) {
    process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1
    process.stderr.write(`pharos: ${cleanText(errorText(error as Error, helpTopic))}\n`)
  }
}

type Load = () => Promise<readonly RunnableCommand[]>

/** By the first words of the commands, in the order of the help. What describes the API or reads YAML is loaded only for them. */
const bundles: readonly (readonly [words: readonly string[], load: Load])[] = [
  [serverCommands.map(({ name }) => name.split(' ')[0] as string), async () => serverCommands],
  [[healthcheckCommand.name], async () => [healthcheckCommand]],
  [[runCommandLine.name], async () => [runCommandLine]],
  [[mcpCommand.name], async () => [mcpCommand]],
  [[importHistoryCommand.name], async () => [importHistoryCommand]],
  [['completion'], async () => [(await import('./completion.ts')).completionCommand(allCommands)]],
  [
    ['export', 'sources', 'validate', 'plan', 'apply'],
    async () => (await import('./configuration/commands.ts')).configurationCommands,
  ],
  [['discover'], async () => (await import('./discovery/commands.ts')).discoveryCommands],
  [['import'], async () => (await import('./import/commands.ts')).importCommands],
  [['shadow'], async () => (await import('./shadow/commands.ts')).shadowCommands],
  [groups.map(({ name }) => name), clientCommands],
]

/** The commands that a command line can mean. */
async function commandsFor([first = '', second = '']: readonly string[]): Promise<readonly RunnableCommand[]> {
  if (isVersionOption(first)) return []
  const [, load] = bundles.find(([words]) => words.includes(first === 'help' ? second : first)) ?? []
  return (load ?? allCommands)()
}

export async function allCommands(): Promise<readonly RunnableCommand[]> {
  return (await Promise.all(bundles.map(([, load]) => load()))).flat()
}

/** The commands over the API. */
async function clientCommands(): Promise<readonly ClientCommand[]> {
  const [
    { apiCommands },
    { listenCommand, triggerCommand },
    { loginCommand, logoutCommand },
    { statusCommand, downCommand, ackCommand },
  ] = await Promise.all([
    import('./api/commands.ts'),
    import('./api/listen.ts'),
    import('./api/login.ts'),
    import('./api/daily.ts'),
  ])
  return [
    statusCommand,
    downCommand,
    ackCommand,
    loginCommand,
    logoutCommand,
    ...apiCommands,
    listenCommand,
    triggerCommand,
  ]
}

type InformationRequest = Exclude<ReturnType<typeof findCommand<RunnableCommand>>, { do: 'run' }>

async function informationFor(request: InformationRequest, commands: readonly RunnableCommand[]): Promise<string> {
  if (request.do === 'version') return `pharos ${version()}`
  if (request.do === 'groupHelp') return groupHelp(request.group, request.commands)
  return request.do === 'commandHelp' ? commandHelp(request.command) : overview(commands)
}

function errorText(error: Error, helpTopic: string): string {
  if (error instanceof UsageError) return usageErrorText(error, helpTopic)
  return error instanceof CommandError ? error.message : `Unexpected error: ${error.stack}`
}

async function execute(command: RunnableCommand, args: Arguments): Promise<Report | undefined> {
  if (!('call' in command)) {
    const { runServerCommand } = await import('./run-server-command.ts')
    return runServerCommand(command, args)
  }
  try {
    return await command.call(clientEnvironment(), args)
  } catch (error) {
    const { explainError } = await import('./api/explain-error.ts')
    throw explainError(error, command)
  }
}

function clientEnvironment(): typeof environment {
  const problems: string[] = []
  const complete = readFiles(environment, clientVariables, problems)
  if (problems.length > 0) throw new CommandError(problems.join('\n'))
  return complete
}

function output({ text, json }: Report, format: ReturnType<typeof outputFormat>): string {
  if (format === 'json') return cleanJson(json)
  if (format === 'yaml') return writeYaml(json)
  return usesColor(environment) ? colorStates(cleanText(text)) : cleanText(text)
}

function print(text: string): void {
  process.stdout.off('error', endQuietly).on('error', endQuietly)
  process.stdout.write(`${text}\n`)
}

/** The reader of a pipe has ended, such as "head -1": what it did not read is not needed. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
