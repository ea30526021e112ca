import type { Person } from '../support/person.ts'

/** The actions of the newest entries of the audit log. */
export async function actionsOf(person: Person): Promise<readonly string[]> {
  const { data } = (await person.get('/v1/audit-log?limit=20')).body
  return data.map(({ action }: { action: string }) => action)
}
