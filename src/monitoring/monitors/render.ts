import type { Static } from 'typebox'
import type { EventData } from '../../events/emit.ts'
import { heartbeatUrlOf } from '../../events/heartbeat-token.ts'
import { Json } from '../../lib/json.ts'
import { MASK } from '../../lib/mask.ts'
import { renderState, type StateFields } from '../monitor-states/state.ts'
import type { Monitor, MonitorPage } from './schema.ts'

/** The same text that the query of a monitor returns (see queries.ts). */
export function monitorJson(
  settings: string,
  heartbeatUrl: string | null,
  state: string,
): Json<Static<typeof Monitor>> {
  return new Json(`{${settings},"heartbeatUrl":${JSON.stringify(heartbeatUrl)},${state}}`)
}

/** The monitor with masked secrets, as events carry it, made of rows that are known. */
export function eventOf(
  { rendered, heartbeat_token: token }: { readonly rendered: string; readonly heartbeat_token: string | null },
  state: StateFields,
  baseUrl: string,
): EventData {
  const { text } = monitorJson(rendered, token && maskedHeartbeatUrl(baseUrl), renderState(state))
  return { json: text, heartbeatToken: token }
}

/** The event with a member that names the changed fields. */
export function withChanged({ json, heartbeatToken }: EventData, changed: readonly string[]): EventData {
  return { json: `${json.slice(0, -1)},"changed":${JSON.stringify(changed)}}`, heartbeatToken }
}

/** Longer pages are sent in parts: those of monitors with large request bodies have up to 60 MB. */
const MAX_JOINED_CHARS = 1_000_000

export function pageJson(
  monitors: readonly string[],
  pagination: Static<typeof MonitorPage>['pagination'],
): Json<Static<typeof MonitorPage>> {
  const { limit, offset, total } = pagination
  const [before, after] = ['{"data":[', `],"pagination":{"limit":${limit},"offset":${offset},"total":${total}}}`]
  let chars = 0
  for (const { length } of monitors) chars += length
  if (chars <= MAX_JOINED_CHARS) return new Json(`${before}${monitors.join(',')}${after}`)
  const separated = monitors.flatMap((monitor, i) => (i === 0 ? [monitor] : [',', monitor]))
  return new Json([before, ...separated, after])
}

/** The URL as viewers see it, and as events are stored: the token is a secret. */
export function maskedHeartbeatUrl(baseUrl: string): string {
  return heartbeatUrlOf(baseUrl, MASK)
}
