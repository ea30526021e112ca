import { createOrganization } from '../../src/accounts/organizations/create.ts'
import type { Engine } from '../../src/storage/database.ts'
import { addToList } from '../../src/storage/list-index.ts'
import { execute, q } from '../../src/storage/query.ts'
import type { EndpointTable } from '../../src/storage/schema/webhooks.ts'
import { migratedTestDatabase } from '../storage/test-database.ts'

export type EventFixture = Awaited<ReturnType<typeof newEventFixture>>

/** A migrated database with an organization. */
export async function newEventFixture(engine: Engine) {
  const fixture = await migratedTestDatabase(engine)
  const { database } = fixture
  const organization = async () => {
    const { id } = await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, Date.now()))
    return id
  }
  const orgId = await organization()
  return {
    ...fixture,
    orgId,
    organization,
    async endpoint(id: string, extra: Partial<EndpointTable> = {}) {
      await database.write(function* () {
        const { seq } = yield* addToList(extra.org_id ?? orgId, 'endpoint')
        yield* execute(q.insertInto('webhook_endpoints').values({ ...defaults, org_id: orgId, id, seq, ...extra }))
      })
    },
    endpoints: async () => database.read(execute(q.selectFrom('webhook_endpoints').selectAll().orderBy('id'))),
    events: async () => database.read(execute(q.selectFrom('events').selectAll().orderBy('id'))),
    deliveries: async () => database.read(execute(q.selectFrom('webhook_deliveries').selectAll().orderBy('seq'))),
  }
}

const defaults = {
  url: 'https://hooks.example/',
  description: null,
  event_types: '["*"]',
  enabled: 1,
  disabled_reason: null,
  secret: 'sealed',
  previous_secret: null,
  previous_secret_expires_at: null,
  older_secrets: '[]',
  last_delivery_at: null,
  failing_since: null,
  due_at: null,
  claimed_by: null,
  created_at: 1,
  updated_at: 1,
}
