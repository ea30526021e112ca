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
import { backupDatabase } from './backup.ts'
import { type Arguments, CommandError, type DatabaseCommand, type PlainCommand, type Report } from './command.ts'
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
import { createApiKey, listApiKeys, revokeApiKey } from './keys.ts'
import { migrateDatabase } from './migrate.ts'
import { createOrg, listOrgs, setOrg } from './orgs.ts'
import { removeUser } from './remove-user.ts'
import { resetSecondFactor } from './second-factor.ts'
import { startServer } from './start.ts'
import { exportSubscribers, listSubscribers, removeSubscriber } from './subscribers.ts'
import { addUser, listUsers, resetUserPassword } from './users.ts'

/** A command that runs where the server runs. */
export type ServerCommand = DatabaseCommand | PlainCommand

export const serverCommands: readonly ServerCommand[] = [
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

/** Errors that say what to do, and need no stack. */
const expectedErrors = [ConfigError, StorageUnusable, CannotListen]

export async function runServerCommand(command: ServerCommand, args: Arguments): Promise<Report | undefined> {
  try {
    const config = readConfig(environment)
    return await ('start' in command ? command.start(config, args) : onDatabase(command, args, config))
  } catch (error) {
    if (!expectedErrors.some((kind) => error instanceof kind)) throw error
    throw new CommandError((error as Error).message, { cause: error })
  }
}

/** Waits until running servers have dropped the rows they cached before the change, so that the next request sees it. */
const REPORT_DELAY_MS = 10 * VERSION_CHECK_MS

async function onDatabase(command: DatabaseCommand, args: Arguments, config: Config): Promise<Report> {
  const { databaseUrl, dataDir, rateLimit } = config
  const storage = { databaseUrl, poolSize: 2, dataDir, rateLimit: { quota: rateLimit, windowMs: RATE_WINDOW_MS } }
  tightenDataFolder(dataDir, silentLog)
  const database = await openDatabase(storage, systemClock, createLog('warn', process.stderr))
  try {
    const now = database.clock.now()
    if (command.name !== 'migrate') await migrate(database, now)
    const report = await command.run(database, args, now, config)
    await setTimeout(REPORT_DELAY_MS)
    return report
  } finally {
    await database.close()
  }
}
