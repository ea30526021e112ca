import { type Api, startApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import type { Engine } from '../../support/engines.ts'
import type { Client } from '../../support/server.ts'
import { madeEndpoint, toldEvents } from '../../support/webhooks.ts'

export const NOON = Date.UTC(2026, 0, 5, 12)

export const maintenanceEvents = ['scheduled', 'started', 'completed', 'cancelled'].map((name) => `maintenance.${name}`)

/** What receivers are told of windows: the type, and how the window stands in it. */
export async function told(client: Client): Promise<string[]> {
  return (await toldEvents(client)).map(({ type, data }) => `${type.replace('maintenance.', '')} ${data.status}`)
}

/** An organization with an endpoint that hears of its windows. */
export async function listening(api: Api): Promise<Client> {
  const { client } = await api.tenant()
  await madeEndpoint(client, { eventTypes: maintenanceEvents })
  return client
}

/** A server of its own whose clock stands at noon until it is moved. */
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
