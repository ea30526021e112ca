import type { Static } from 'typebox'
import { Json } from '../../lib/json.ts'
import type { Monitor, MonitorPage } from './schema.ts'

/** The same text that the database makes of the parts. */
export function monitorJson(
  settings: string,
  heartbeatUrl: string | null,
  standing: string,
): Json<Static<typeof Monitor>> {
  return new Json(`{${settings},"heartbeatUrl":${JSON.stringify(heartbeatUrl)},${standing}}`)
}

export function pageJson(
  data: string,
  pagination: Static<typeof MonitorPage>['pagination'],
): Json<Static<typeof MonitorPage>> {
  const { limit, offset, total } = pagination
  return new Json(`{"data":[${data}],"pagination":{"limit":${limit},"offset":${offset},"total":${total}}}`)
}

/** What a CRON monitor's token is put behind. */
export function heartbeatBase(baseUrl: string): string {
  return `${baseUrl}/heartbeat/`
}
