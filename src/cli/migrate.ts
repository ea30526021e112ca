import type { Database } from '../storage/database.ts'
import { compareSchema, migrate, migrations } from '../storage/migrate.ts'
import type { DatabaseAction } from './command.ts'

export const migrateDatabase: DatabaseAction = async (database, { options }, now) => {
  const isDryRun = options['dry-run'] !== undefined
  const reports: string[] = []
  const found = isDryRun
    ? await pending(database)
    : await migrate(database, now, migrations, (text) =>
        reports.push(text.replace(/^./, (first) => first.toUpperCase())),
      )
  const list = found.map(({ id, name }) => ({ id, name }))
  const verb = isDryRun ? 'Pending' : 'Applied'
  const lines = [
    ...reports,
    ...list.map(({ id, name }) => `${verb} migration ${id}: ${name}`),
    ...(list.length === 0 ? [`Schema is up to date (version ${migrations.at(-1)?.id})`] : []),
    `Database: ${database.location}`,
  ]
  const json = { [isDryRun ? 'pending' : 'applied']: list, location: database.location }
  return { text: lines.join('\n'), json }
}

async function pending(database: Database) {
  return (await database.read(compareSchema(database.engine))).missing
}
