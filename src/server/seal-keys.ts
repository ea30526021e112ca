import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFolder, writePrivateFile } from '../lib/private-files.ts'
import { createSealer, SEAL_KEY_BYTES, type Sealer } from '../lib/seal.ts'
import { type Database, StorageUnusable } from '../storage/database.ts'
import { type DbWork, first, q, run, statement } from '../storage/query.ts'
import { lockForTransaction } from '../storage/transaction-lock.ts'

export const SECRET_KEY_FILE = 'secret.key'

/** The encryption keys: from PHAROS_SECRET_KEY, or from a file in the data folder that the first start creates. */
export function loadSealer(configured: readonly Buffer[], dataDir: string): Sealer {
  return createSealer(configured.length > 0 ? configured : [keyFromFile(dataDir)])
}

function keyFromFile(dataDir: string): Buffer {
  const file = join(dataDir, SECRET_KEY_FILE)
  try {
    createPrivateFolder(dataDir)
    // Fails if the file exists, so two concurrent starts use one key.
    writePrivateFile(file, `${randomBytes(SEAL_KEY_BYTES).toString('base64')}\n`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new StorageUnusable(`PHAROS_DATA_DIR: cannot write to ${dataDir}: ${(error as Error).message}`, {
        cause: error,
      })
    }
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length === SEAL_KEY_BYTES) return key
  throw new StorageUnusable(
    `${file} is not a valid encryption key (${SEAL_KEY_BYTES} bytes in base64); restore it from a backup`,
  )
}

const SETTING = 'seal_key_id'

const read = statement((_: object) => q.selectFrom('settings').select('value').where('name', '=', SETTING))

const save = statement(({ value }: { value: string }) =>
  q
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
)

/** Stops the start if this node cannot decrypt what other nodes encrypt. Stores the id of a new first key. */
export function claimSealKey(database: Database, sealer: Sealer): Promise<void> {
  return database.write(function* (): DbWork<void> {
    yield* lockForTransaction(database.engine, 'seal key')
    const inUse = (yield* first(read, {}))?.value
    if (inUse === sealer.keyId) return
    if (inUse !== undefined && !sealer.knownKeyIds.includes(inUse)) {
      throw new StorageUnusable(
        `PHAROS_SECRET_KEY: the database is encrypted with key ${inUse}, which is not configured here ` +
          `(configured: ${sealer.knownKeyIds.join(', ')}); set the same PHAROS_SECRET_KEY on every node, or copy ${SECRET_KEY_FILE} from the data folder of the first node`,
      )
    }
    yield* run(save, { value: sealer.keyId })
  })
}
