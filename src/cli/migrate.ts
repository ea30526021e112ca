import { migrate, migrations } from '../storage/migrate.ts'
import type { DatabaseAction } from './command.ts'

export const migrateDatabase: DatabaseAction = async (database, _args, now) => {
  const applied = (await migrate(database, now)).map(({ id, name }) => ({ id, name }))
  const done = applied.map(({ id, name }) => `Applied migration ${id}: ${name}`)
  const text = applied.length === 0 ? `Schema is up to date (version ${migrations.at(-1)?.id})` : done.join('\n')
  return { text: `${text}\nDatabase: ${database.location}`, json: { applied, location: database.location } }
}
