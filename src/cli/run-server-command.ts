import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { type Config, ConfigError, rateLimitOf, readConfig } from '../server/config/config.ts'
import { requireDataFolder, tightenDataFolder } from '../server/data-folder.ts'
import { CannotListen } from '../server/listen.ts'
import { StorageUnusable } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open.ts'
import { VERSION_CHECK_MS } from '../storage/sqlite/row-cache.ts'
import { type Arguments, CommandError, type DatabaseCommand, type Report, type ServerCommand } from './command.ts'
import { confirm } from './confirm.ts'
import { environment } from './environment.ts'
import { requireDatabaseFile, requireTables } from './require-database.ts'

/** Errors that say what to do, and need no stack. */
const expectedErrors = [ConfigError, StorageUnusable, CannotListen]

export async function runServerCommand(command: ServerCommand, args: Arguments): Promise<Report | undefined> {
  try {
    const config = readConfig(environment)
    const { summary, options = {} } = command
    if (options.yes !== undefined && args.options.yes === undefined) {
      await confirm(`${summary}: ${args.positionals.join(' ')}?`)
    }
    if ('onServer' in command) return await (await command.onServer())(config, args)
    return await onDatabase(command, args, config)
  } catch (error) {
    if (!expectedErrors.some((kind) => error instanceof kind)) throw error
    throw new CommandError((error as Error).message, { cause: error })
  }
}

/** Waits until running servers have dropped the rows they cached before the change, so that the next request sees it. */
const REPORT_DELAY_MS = 10 * VERSION_CHECK_MS

async function onDatabase(command: DatabaseCommand, args: Arguments, config: Config): Promise<Report> {
  const act = await command.onDatabase()
  // "migrate" may prepare a new installation. "migrate --dry-run" changes nothing.
  const isMigration = command.name === 'migrate'
  const mayCreate = isMigration && args.options['dry-run'] === undefined
  const { databaseUrl, dataDir } = config
  const storage = { databaseUrl, poolSize: 2, dataDir, rateLimit: rateLimitOf(config) }
  if (databaseUrl === undefined && !mayCreate) requireDatabaseFile(dataDir)
  if (databaseUrl === undefined) requireDataFolder(dataDir)
  tightenDataFolder(dataDir, silentLog)
  const log = createLog('warn', process.stderr)
  const database = await openDatabase(storage, systemClock, log)
  try {
    const now = database.clock.now()
    if (!isMigration) await requireTables(database)
    if (!isMigration) await migrate(database, now, undefined, (text) => log.warn(text))
    const report = await act(database, args, now, config)
    await setTimeout(REPORT_DELAY_MS)
    return report
  } finally {
    await database.close()
  }
}
