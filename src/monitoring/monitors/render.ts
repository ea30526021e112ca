import type { Static } from 'typebox'
import { Json } from '../../lib/json.ts'
import type { Monitor, MonitorPage } from './schema.ts'

/** The same text that the query of a monitor returns (see queries.ts). */
export function monitorJson(
  settings: string,
  heartbeatUrl: string | null,
  state: string,
): Json<Static<typeof Monitor>> {
  return new Json(`{${settings},"heartbeatUrl":${JSON.stringify(heartbeatUrl)},${state}}`)
}

export function pageJson(
  data: string,
  pagination: Static<typeof MonitorPage>['pagination'],
): Json<Static<typeof MonitorPage>> {
  const { limit, offset, total } = pagination
  return new Json(`{"data":[${data}],"pagination":{"limit":${limit},"offset":${offset},"total":${total}}}`)
}

/** The heartbeat address of a CRON monitor, up to its token. */
export function heartbeatBase(baseUrl: string): string {
  return `${baseUrl}/heartbeat/`
}
