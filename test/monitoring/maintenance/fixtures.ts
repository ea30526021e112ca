import assert from 'node:assert/strict'
import { isTransitionDue } from '../../../src/monitoring/maintenance/apply-transitions.ts'
import { isRecheckQueued } from '../../../src/monitoring/maintenance/recheck.ts'
import { type Api, startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import type { Engine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import type { Client } from '../../support/server.ts'
import { createEndpoint, sentEvents } from '../../support/webhooks.ts'

export const NOON = Date.UTC(2026, 0, 5, 12)

export const maintenanceEvents = ['scheduled', 'started', 'completed', 'cancelled'].map((name) => `maintenance.${name}`)

/** The events that were emitted: type, and status of the window in it. */
export async function eventSummaries(client: Client): Promise<string[]> {
  return (await sentEvents(client)).map(({ type, data }) => `${type.replace('maintenance.', '')} ${data.status}`)
}

/** An organization with an endpoint for maintenance events. */
export async function clientWithEndpoint(api: Api): Promise<Client> {
  const { client } = await api.tenant()
  await createEndpoint(client, { eventTypes: maintenanceEvents })
  return client
}

/** A server whose clock stays at noon until the test advances it. */
export async function withApi(
  engine: Engine,
  roles: string,
  body: (api: Api, clock: HandClock) => Promise<void>,
): Promise<void> {
  const clock = new HandClock(NOON)
  const api = await startApi(engine, { clock, env: { PHAROS_ROLES: roles } })
  try {
    await body(api, clock)
  } finally {
    await api.server.stop()
  }
}

/** Asserts that the scheduler has nothing to announce before the clock advances. */
export async function assertNothingDue(api: Api, clock: HandClock): Promise<void> {
  assert.equal(await api.server.running.database.read(isTransitionDue(clock.now())), false)
}

/** Waits until the scheduler has applied all transitions and rechecks that are due. */
export async function schedulerIdle(api: Api, clock: HandClock): Promise<void> {
  const { database } = api.server.running
  await eventually(async () => {
    await assertNothingDue(api, clock)
    assert.equal(await database.read(isRecheckQueued()), false)
  })
}
