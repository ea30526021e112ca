import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { migratedTestDatabase } from '../../storage/test-database.ts'
import { confirmed } from './mailing.ts'

export interface PagesDatabase extends AsyncDisposable {
  readonly database: Database
  readonly orgId: string
  readonly pageIds: readonly string[]
  open(): Promise<Database>
  addSubscribers(pageId: string, count: number): Promise<void>
}

/** A database with pages and confirmed subscribers, without a mailer. */
export async function newPagesDatabase(
  engine: Engine,
  { pages, subscribers }: { pages: number; subscribers: number },
): Promise<PagesDatabase> {
  const base = await migratedTestDatabase(engine)
  const { database } = base
  const org = await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, Date.now()))
  const pageIds = Array.from({ length: pages }, (_, i) => `page_${i}`)
  await database.write(() =>
    execute(
      q.insertInto('status_pages').values(
        pageIds.map((id, seq) => ({
          org_id: org.id,
          id,
          seq,
          name: id,
          folded_name: id,
          slug: id,
          custom_domain: null,
          domain_token: id,
          published: 1,
          visibility: 'PUBLIC' as const,
          password_hash: null,
          settings: '',
          sections: '[]',
          created_at: 1,
          updated_at: 1,
        })),
      ),
    ),
  )
  let count = 0
  const addSubscribers = async (pageId: string, more: number): Promise<void> => {
    const rows = Array.from({ length: more }, () => {
      count += 1
      return confirmed(org.id, pageId, `${count}`, `u${count}@example.com`)
    })
    if (more > 0) await database.write(() => execute(q.insertInto('subscribers').values(rows)))
  }
  for (const id of pageIds) await addSubscribers(id, subscribers)
  return {
    database,
    pageIds,
    addSubscribers,
    orgId: org.id,
    open: () => base.open(),
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  }
}
