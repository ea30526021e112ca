/**
 * Saves a database of the present version with one resource of each kind, for `upgrade.test.ts`. Run once per release:
 *   npx node test/storage/saved-databases/save.ts 1.2.0
 * A saved database is never changed afterwards.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SQLITE_FILE } from '../../../src/storage/sqlite/database.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { findServerPrograms, startCluster } from '../../support/postgres-cluster.ts'
import { startTestServer } from '../../support/server.ts'
import { emptyDataDir } from '../../support/sqlite.ts'
import { fill, savedEnv } from './content.ts'

const [version] = process.argv.slice(2)
const programs = findServerPrograms()
if (version === undefined || programs === null) throw new Error('Needs the name of the version, and PostgreSQL')

function save(engine: string, content: Buffer): void {
  writeFileSync(join(import.meta.dirname, `${version}.${engine}.gz`), gzipSync(content, { level: 9 }))
}

async function filled(engine: 'sqlite' | 'postgres', storage: { dataDir: string; databaseUrl?: string }) {
  await using server = await startTestServer(engine, { ...storage, env: savedEnv })
  await fill(server)
}

const dataDir = emptyDataDir()
await filled('sqlite', { dataDir })
save('sqlite', readFileSync(join(dataDir, SQLITE_FILE)))

await using cluster = await startCluster(programs)
await using database = await freshDatabase(cluster.url)
await filled('postgres', { dataDir, databaseUrl: database.url })
const dump = execFileSync(join(programs, 'pg_dump'), ['--inserts', '--no-owner', database.url], { encoding: 'utf8' })
// Commands of psql, and the empty search path, in which the server would find no tables.
const statements = dump.split('\n').filter((line) => !line.startsWith('\\') && !line.includes("'search_path'"))
save('postgres', Buffer.from(statements.join('\n')))
