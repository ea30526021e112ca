import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
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
import { backupDatabase } from './backup.ts'
import {
  type Arguments,
  type Command,
  CommandError,
  type DatabaseCommand,
  type PlainCommand,
  type Report,
} from './command.ts'
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
import { commandHelp, overview } from './help.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './keys.ts'
import { migrateDatabase } from './migrate.ts'
import { createOrg, listOrgs, setOrg } from './orgs.ts'
import { removeUser } from './remove-user.ts'
import { resetSecondFactor } from './second-factor.ts'
import { startServer } from './start.ts'
import { exportSubscribers, listSubscribers, removeSubscriber } from './subscribers.ts'
import { createPrivateFilesOnly } from './umask.ts'
import { addUser, listUsers, resetUserPassword } from './users.ts'

const commands: readonly (DatabaseCommand | PlainCommand)[] = [
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
]

/** Runs one command line. Expected errors print one sentence and exit with 1; bugs also print a stack. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  createPrivateFilesOnly()
  try {
    const command = commandOf(argv)
    if (command === undefined) {
      print(overview(commands))
      return
    }
    if (argv.includes('--help') || argv.includes('-h')) {
      print(commandHelp(command))
      return
    }
    const args = argumentsOf(command, argv.slice(command.name.split(' ').length))
    const report = await execute(command, args)
    if (report === undefined) return
    print(args.options.json === undefined ? report.text : JSON.stringify(report.json, null, 2))
    process.exitCode = report.exitCode ?? 0
  } catch (error) {
    process.exitCode = 1
    const expected = [CommandError, ConfigError, StorageUnusable, CannotListen].some((kind) => error instanceof kind)
    process.stderr.write(`pharos: ${expected ? (error as Error).message : (error as Error).stack}\n`)
  }
}

function commandOf(argv: readonly string[]): DatabaseCommand | PlainCommand | undefined {
  const words = argv.filter((word) => !word.startsWith('-'))
  if (words.length === 0 || words[0] === 'help') {
    const unknown = argv.find((word) => word.startsWith('-') && word !== '--help' && word !== '-h')
    if (unknown !== undefined) throw new CommandError(`There is no option ${unknown} here; see "pharos --help"`)
    return undefined
  }
  const found = commands.find((command) => `${argv.join(' ')} `.startsWith(`${command.name} `))
  if (found !== undefined) return found
  const group = commands.filter((command) => command.name.startsWith(`${words[0]} `))
  const hint = group.length > 0 ? `; there are ${group.map(({ name }) => `"${name}"`).join(', ')}` : ''
  if (group.length > 0 && (argv.includes('--help') || argv.includes('-h'))) return undefined
  throw new CommandError(`There is no command "${words.slice(0, 2).join(' ')}"${hint || '; see "pharos --help"'}`)
}

function argumentsOf(command: Command, argv: readonly string[]): Arguments {
  const declared = command.options ?? {}
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { value, repeats = false }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: repeats },
    ]),
  )
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({
      args: [...argv],
      options: { ...options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ')
    throw new CommandError(`${sentence}; see "pharos ${command.name} --help"`)
  }
  const expected = command.positionals ?? []
  if (parsed.positionals.length !== expected.length) {
    const usage = expected.length === 0 ? 'takes no arguments' : `takes ${expected.join(' ')}`
    throw new CommandError(`"pharos ${command.name}" ${usage}; see "pharos ${command.name} --help"`)
  }
  const missing = Object.keys(declared).find(
    (name) => declared[name]?.required === true && parsed.values[name] === undefined,
  )
  if (missing !== undefined) throw new CommandError(`--${missing} is missing; see "pharos ${command.name} --help"`)
  const values = Object.entries(parsed.values)
  const several = values.filter(([, value]) => Array.isArray(value)) as [string, string[]][]
  const single = values.filter(([, value]) => !Array.isArray(value)).map(([name, value]) => [name, String(value)])
  return {
    positionals: parsed.positionals,
    options: Object.fromEntries(single),
    repeated: Object.fromEntries(several),
  }
}

async function execute(command: DatabaseCommand | PlainCommand, args: Arguments): Promise<Report | undefined> {
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
