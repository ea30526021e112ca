import { ensureDashboard } from '../../src/cli/dashboard.ts'
import { type Cluster, dropForgottenDatabases, findServerPrograms, startCluster, urlVariable } from './postgres.ts'

let cluster: Cluster | undefined

/** Called by node:test once, before any test file starts: what is set in the environment here, the files inherit. */
export async function globalSetup(): Promise<void> {
  // Interrupted before its first test, the runner would call the run a success.
  const interrupted = () => process.exit(1)
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  try {
    // Once, before many servers are started at a time.
    await ensureDashboard((text) => process.stderr.write(text))
    const url = await offerPostgres()
    if (url) process.env[urlVariable] = url
    else process.stderr.write('PostgreSQL was not found: its tests are skipped, SQLite alone is tested.\n')
  } catch (error) {
    // Thrown further, the sentence would stand in the middle of the runner's own stack trace.
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** An interrupted run calls this twice, and the second call must not hurt. */
export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
}

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
