import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { CannotListen } from '../server/cannot-listen.ts'
import { type Config, ConfigError, readConfig } from '../server/config/config.ts'
import { tightenDataFolder } from '../server/data-folder.ts'
import { RATE_WINDOW_MS } from '../server/start.ts'
import { StorageUnusable } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open.ts'
import { VERSION_CHECK_MS } from '../storage/sqlite/row-cache.ts'
import { apiCommands } from './api/commands.ts'
import { backupDatabase } from './backup.ts'
import {
  type Arguments,
  type ClientCommand,
  CommandError,
  type DatabaseCommand,
  type PlainCommand,
  type Report,
  UsageError,
} from './command.ts'
import { completionCommand } from './completion.ts'
import { confirmAlertContact, resendConfirmation } from './confirm-contacts.ts'
import {
  addContact,
  attachContact,
  detachContact,
  disableAlertContact,
  enableAlertContact,
  listContacts,
  removeContact,
  showContact,
  testContact,
  updateAlertContact,
} from './contacts.ts'
import { doctor } from './doctor.ts'
import { environment } from './environment.ts'
import { exportPage } from './export-page.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, groupHelp, overview, usageErrorText } from './help.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './keys.ts'
import { migrateDatabase } from './migrate.ts'
import { createOrg, listOrgs, setOrg } from './orgs.ts'
import { parseArguments } from './parse-arguments.ts'
import { removeUser } from './remove-user.ts'
import { resetSecondFactor } from './second-factor.ts'
import { startServer } from './start.ts'
import { exportSubscribers, listSubscribers, removeSubscriber } from './subscribers.ts'
import { createPrivateFilesOnly } from './umask.ts'
import { addUser, listUsers, resetUserPassword } from './users.ts'

type RunnableCommand = DatabaseCommand | PlainCommand | ClientCommand

const commands: readonly RunnableCommand[] = [
  startServer,
  migrateDatabase,
  createOrg,
  listOrgs,
  setOrg,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  listUsers,
  addUser,
  removeUser,
  resetUserPassword,
  resetSecondFactor,
  addContact,
  listContacts,
  showContact,
  updateAlertContact,
  testContact,
  confirmAlertContact,
  resendConfirmation,
  enableAlertContact,
  disableAlertContact,
  attachContact,
  detachContact,
  removeContact,
  listSubscribers,
  exportSubscribers,
  removeSubscriber,
  exportPage,
  backupDatabase,
  doctor,
  completionCommand(() => commands),
  ...apiCommands,
]

const USAGE_EXIT_CODE = 2

/**
 * Runs one command line. Wrong usage prints one line and exits with 2; other expected errors exit with 1. Bugs also print a
 * stack.
 */
export async function runCommand(argv: readonly string[]): Promise<void> {
  createPrivateFilesOnly()
  let helpTopic = ''
  try {
    const request = findCommand(commands, argv)
    if (request.do !== 'run') {
      print(informationFor(request))
      return
    }
    const { command } = request
    helpTopic = command.name
    const args = parseArguments(command, request.argv)
    const report = await execute(command, args)
    if (report === undefined) return
    print(args.options.json === undefined ? report.text : JSON.stringify(report.json, null, 2))
    process.exitCode = report.exitCode ?? 0
  } catch (error) {
    process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1
    process.stderr.write(`pharos: ${errorText(error as Error, helpTopic)}\n`)
  }
}

function informationFor(request: Exclude<ReturnType<typeof findCommand<RunnableCommand>>, { do: 'run' }>): string {
  if (request.do === 'version') return versionText()
  if (request.do === 'groupHelp') return groupHelp(request.group, request.commands)
  return request.do === 'commandHelp' ? commandHelp(request.command) : overview(commands)
}

function versionText(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return `pharos ${version}`
}

function errorText(error: Error, helpTopic: string): string {
  if (error instanceof UsageError) return usageErrorText(error, helpTopic)
  const isExpected = [CommandError, ConfigError, StorageUnusable, CannotListen].some((kind) => error instanceof kind)
  return isExpected ? error.message : `Unexpected error: ${error.stack}`
}

async function execute(command: RunnableCommand, args: Arguments): Promise<Report | undefined> {
  if ('call' in command) return command.call(environment, args)
  const config = readConfig(environment)
  if ('start' in command) return command.start(config, args)
  return onDatabase(command, args, config)
}

/** Waits until running servers have dropped the rows they cached before the change, so that the next request sees it. */
const REPORT_DELAY_MS = 10 * VERSION_CHECK_MS

async function onDatabase(command: DatabaseCommand, args: Arguments, config: Config): Promise<Report> {
  const { databaseUrl, dataDir, rateLimit } = config
  const storage = { databaseUrl, poolSize: 2, dataDir, rateLimit: { quota: rateLimit, windowMs: RATE_WINDOW_MS } }
  tightenDataFolder(dataDir, silentLog)
  const database = await openDatabase(storage, systemClock, createLog('warn', process.stderr))
  try {
    const now = systemClock.now()
    if (command.name !== 'migrate') await migrate(database, now)
    const report = await command.run(database, args, now, config)
    await setTimeout(REPORT_DELAY_MS)
    return report
  } finally {
    await database.close()
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
