import { DatabaseSync } from 'node:sqlite'
import { revokeKeyWithId } from '../../src/accounts/keys/revoke.ts'
import { changeOrganization, type OrganizationChange } from '../../src/accounts/organizations/queries.ts'
import type { PlanName } from '../../src/accounts/plans/plans.ts'
import { createMonitor } from '../../src/monitoring/monitors/create.ts'
import { execute, q } from '../../src/storage/query.ts'
import { monitorDefaults } from './contract.ts'
import { bareInstallation } from './installation.ts'
import { type MonitorBody, smallest } from './monitors.ts'
import type { TestServer } from './server.ts'

/** Changes directly in the database that no public operation makes. */

export async function setSubscription(
  { running }: TestServer,
  orgId: string,
  to: 'active' | 'inactive',
): Promise<void> {
  await change(running.database, orgId, { subscription: to })
}

export async function setPlan({ running }: TestServer, orgId: string, plan: PlanName): Promise<void> {
  await change(running.database, orgId, { plan })
}

function change(database: TestServer['running']['database'], orgId: string, to: OrganizationChange) {
  return database.write(() => changeOrganization(orgId, to))
}

export async function revoke({ running }: TestServer, keyId: string): Promise<void> {
  await running.database.write(() => revokeKeyWithId(keyId, Date.now()))
}

export async function disable({ running }: TestServer, keyId: string): Promise<void> {
  await running.database.write(() =>
    execute(q.updateTable('api_keys').set({ disabled_at: Date.now() }).where('id', '=', keyId)),
  )
}

/** Makes a key expire just now. */
export async function expire({ running }: TestServer, keyId: string): Promise<void> {
  await running.database.write(() =>
    execute(
      q
        .updateTable('api_keys')
        .set({ expires_at: Date.now() - 1 })
        .where('id', '=', keyId),
    ),
  )
}

/** Revokes a key over another connection, like the command line beside a running server. */
export async function revokeFromOutside({ running: { database } }: TestServer, keyId: string): Promise<void> {
  if (database.engine === 'postgres') {
    await database.write(() => revokeKeyWithId(keyId, Date.now()))
    return
  }
  const outside = new DatabaseSync(database.location, { timeout: 5000 })
  outside.prepare('update api_keys set revoked_at = ? where id = ?').run(Date.now(), keyId)
  outside.close()
}

/** When the monitor's next check is due; null if none is. */
export async function nextCheckAt({ running }: TestServer, id: string): Promise<number | null | undefined> {
  const rows = await running.database.read(
    execute(
      q
        .selectFrom('monitor_states as s')
        .innerJoin('monitors as m', 'm.num', 's.num')
        .select('s.next_check_at')
        .where('m.id', '=', id),
    ),
  )
  return rows[0]?.next_check_at
}

/** Creates many monitors in one transaction. */
export async function fill(
  { running, url }: TestServer,
  orgId: string,
  count: number,
  bodyOf = (_i: number): MonitorBody => smallest('HTTP'),
): Promise<void> {
  if (!('handle' in createMonitor)) throw new Error('Creating a monitor is one transaction')
  const { handle } = createMonitor
  const caller = { keyId: 'key', keyName: 'test', access: 'full', orgId, orgSlug: 'test', plan: 'SELF_HOSTED' } as const
  const call = {
    caller: { ...caller, subscription: 'active' as const },
    requestId: 'req',
    now: Date.now(),
    installation: bareInstallation(url),
  }
  await running.database.write(function* () {
    for (let i = 0; i < count; i += 1) {
      const body = { ...monitorDefaults, ...bodyOf(i) }
      yield* handle(call, { params: undefined, query: undefined, body } as never)
    }
  })
}

/** All stored idempotency responses of an organization. */
export async function storedAnswers({ running }: TestServer, orgId: string): Promise<readonly string[]> {
  const rows = await running.database.read(
    execute(q.selectFrom('idempotency_records').selectAll().where('org_id', '=', orgId)),
  )
  return rows.map((row) => JSON.stringify(row))
}

/** Moves all rate windows into the past. PostgreSQL uses its own clock, which tests cannot set. */
export async function ageRateWindows({ running }: TestServer, ms: number): Promise<void> {
  await running.database.write(() =>
    execute(q.updateTable('rate_windows').set((is) => ({ started_at: is('started_at', '-', ms) }))),
  )
}
