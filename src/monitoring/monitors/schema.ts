import Type from 'typebox'
import { DOCUMENTED, nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { SelectorText } from '../../contract/selector.ts'
import { settingsFields } from '../monitor-settings/schema.ts'
import { monitorStates } from '../monitor-states/state.ts'

const moment = nullable(Timestamp)

const { name: _name, type, ...settings } = settingsFields

export const Monitor = resource('Monitor', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  type,
  state: oneOf(monitorStates),
  ...withoutBounds(settings),
  heartbeatUrl: nullable(Type.String(), { description: 'The URL that the job of a CRON monitor calls' }),
  lastCheckedAt: moment,
  lastStatusChangedAt: moment,
  lastResponseMs: nullable(Type.Integer()),
  certExpiresAt: nullable(Timestamp, {
    description: 'When the certificate expires (of a DOMAIN monitor: the registration)',
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

export const MonitorPage = page('MonitorPage', Monitor)
export const MonitorParams = Type.Object({ monitorId: Type.String({ minLength: 1 }) })
export const MonitorQuery = Type.Object({ ...pageQuery, labels: Type.Optional(SelectorText) })

/** Responses are documented without bounds: a later version may widen them. */
function withoutBounds<T extends object>(of: T): T {
  const bounds = new Set([
    ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties'],
    DOCUMENTED,
  ])
  const strip = (schema: unknown): unknown => {
    if (Array.isArray(schema) || typeof schema !== 'object' || schema === null) return schema
    return Object.fromEntries(
      Object.entries(schema)
        .filter(([key]) => !bounds.has(key))
        .map(([key, value]) => [key, strip(value)]),
    )
  }
  return Object.fromEntries(Object.entries(of).map(([key, schema]) => [key, strip(schema)])) as T
}
