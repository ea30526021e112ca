import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { createPrivateFile, createPrivateFolder } from '../../lib/private-files.ts'
import { type Database, type RateLimit, type SchemaSession, StorageUnusable, type Watcher } from '../database.ts'
import { type ChangeNotice, type DbWork, execute, first } from '../query.ts'
import { createFileCheck } from './check-file.ts'
import { createCheckpointer } from './checkpointer.ts'
import { SqliteConnection, type Synchronous } from './connection.ts'
import { LogFile } from './log-file.ts'
import { createSqliteRateLimiter } from './rate-limiter.ts'
import { saveCopy } from './save-copy.ts'
import { GroupWriter } from './writer.ts'

export const SQLITE_FILE = 'pharos.db'
export const LOCK_FILE = 'server.lock'

export function openSqlite(
  dataDir: string,
  rateLimit: RateLimit,
  clock: Clock,
  synchronous: Synchronous = 'normal',
): Database {
  const file = join(dataDir, SQLITE_FILE)
  const connection = openFile(dataDir, file, synchronous)
  let watcher: Watcher | undefined
  const log = synchronous === 'off' ? undefined : new LogFile(file)
  const notify = (notices: readonly ChangeNotice[]): void => {
    if (watcher?.isActive()) watcher.notify(notices)
  }
  const writer = new GroupWriter(connection, notify, log)
  const checkFile = createFileCheck(file, writer)
  const checkpointer = createCheckpointer(file, synchronous)
  const locks = new Set<string>()
  let reader: SqliteConnection | undefined
  /** While bulk work has a transaction open, its connection shows changes that are not committed. */
  const read = <T>(work: DbWork<T>): T => {
    if (!connection.inTransaction) return connection.run(work)
    reader ??= new SqliteConnection(file, synchronous, true)
    return reader.run(work)
  }
  const write =
    (orgId?: string): Database['write'] =>
    (work, mode) => {
      checkpointer.noteWrite()
      return writer.write(work, mode, orgId)
    }
  const database: Database = {
    engine: 'sqlite',
    location: file,
    read: async (work) => read(work),
    write: write(),
    // Reads run at once, and writes wait for other processes for a limited time.
    forRequests: () => database,
    forOrganization: (orgId) => ({ ...database, write: write(orgId) }),
    changeSchema: (_purpose, change) => change(schemaSession(writer, file)),
    async tryLock(name) {
      if (locks.has(name)) return undefined
      locks.add(name)
      return {
        async release() {
          locks.delete(name)
        },
      }
    },
    // Locks are kept in memory: one process uses the file.
    lockAs: () => undefined,
    nodeRegistry: undefined,
    clock,
    // Transactions run one after the other, so only a lock of `tryLock` can be in the way.
    *firstUnderLock(name, of, values) {
      return { isLocked: !locks.has(name), row: yield* first(of, values) }
    },
    rateLimiter: createSqliteRateLimiter(read, rateLimit, clock),
    watch(by) {
      watcher = by
      return () => undefined
    },
    ping: (isThorough = false) => checkFile(isThorough),
    async close() {
      await writer.drain()
      await checkpointer.close()
      reader?.close()
      connection.close()
      log?.close()
    },
  }
  return database
}

/** SQLite has one writer, so a change of the schema needs no lock of its own. */
function schemaSession(writer: GroupWriter, file: string): SchemaSession {
  return {
    transaction: (work) => writer.write(work),
    async buildIndex({ name, on, unique }) {
      const text = `create ${unique ? 'unique ' : ''}index if not exists ${name} on ${on}`
      await writer.write(() => execute(sql.raw(text)))
    },
    saveCopy: (schema, now, report) => saveCopy(file, schema, now, report),
  }
}

function openFile(dataDir: string, file: string, synchronous: Synchronous): SqliteConnection {
  try {
    createPrivateFolder(dataDir)
    // SQLite gives its -wal and -shm files the mode of the database.
    createPrivateFile(file)
    return new SqliteConnection(file, synchronous)
  } catch (error) {
    throw new StorageUnusable(
      `PHAROS_DATA_DIR: cannot open the database ${file} for writing: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/**
 * Locks a data folder for one server, because rate limits and running requests are counted in memory. The lock is an
 * exclusive SQLite lock on a separate file: the operating system releases it when the process ends.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, LOCK_FILE)
  createPrivateFile(file)
  const lock = new DatabaseSync(file)
  try {
    // The file stays empty, so there is nothing to wait for the disk for.
    lock.exec('pragma synchronous = off; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw new StorageUnusable(
      `Another Pharos server is using the data folder ${dataDir}; stop it or set PHAROS_DATA_DIR to another folder`,
      { cause: error },
    )
  }
  return { release: () => lock.close() }
}
