import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createTemplate, dropForgottenDatabases, type FreshDatabase, urlVariable } from './postgres.ts'
import { type Cluster, findServerPrograms, startCluster } from './postgres-cluster.ts'

let cluster: Cluster | undefined
let template: FreshDatabase | undefined

/** Called once, before any test file starts. Test processes inherit the environment variables that it sets. */
export async function globalSetup(needs: { readonly postgres?: boolean } = {}): Promise<void> {
  const interrupted = () => process.exit(1)
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  try {
    // Tests that start a process run the build.
    const build = join(import.meta.dirname, '../../scripts/build.ts')
    execFileSync(process.execPath, [build, '--if-changed'], { stdio: ['ignore', 'inherit', 'inherit'] })
    if (needs.postgres === false) return
    const url = await offerPostgres()
    if (url) {
      process.env[urlVariable] = url
      template = await createTemplate(url)
    } else process.stderr.write('PostgreSQL was not found: its tests are skipped, SQLite alone is tested.\n')
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** May be called twice. */
export async function globalTeardown(): Promise<void> {
  if (cluster === undefined) await template?.drop()
  await cluster?.stop()
}

/** The address of a PostgreSQL server: the one that the environment names, or a new private one. */
async function offerPostgres(): Promise<string | null> {
  const given = process.env.PHAROS_TEST_DATABASE_URL
  if (given) {
    await dropForgottenDatabases(given)
    return given
  }
  const programs = findServerPrograms()
  if (programs) {
    cluster = await startCluster(programs)
    return cluster.url
  }
  if (process.env.CI === 'true') {
    throw new Error(
      'CI tests PostgreSQL too, but its server was not found: install it, name the folder of its programs in ' +
        'PHAROS_TEST_PG_BIN, or name a running server in PHAROS_TEST_DATABASE_URL.',
    )
  }
  return null
}
