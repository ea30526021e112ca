import Type, { type Static } from 'typebox'
import { body, defaulted, nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'

export const monitorTypes = ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'] as const
export type MonitorType = (typeof monitorTypes)[number]

export const monitorStates = ['PENDING', 'UP', 'DEGRADED', 'DOWN', 'PAUSED'] as const
export type MonitorState = (typeof monitorStates)[number]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const keywordMatches = ['EXISTS', 'NOT_EXISTS'] as const
const dnsRecordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'] as const
const thresholdModes = ['LAST', 'P95'] as const

/** Statuses that count as success unless the monitor says otherwise. */
const defaultExpectedStatus = [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308]

/** Every field a user can set, with its bounds. */
const fields = {
  name: Type.String({ minLength: 1, maxLength: 120 }),
  type: oneOf(monitorTypes, { description: 'Decides which of the other fields apply' }),
  url: nullable(Type.String({ maxLength: 2048 }), {
    description: 'HTTP, KEYWORD: an http(s) address. DNS, SSL, DOMAIN: an address or a bare host name.',
  }),
  host: nullable(Type.String({ maxLength: 255 }), { description: 'PING, PORT: a host name or an IP address' }),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 }), { description: 'PORT: the port to connect to' }),
  method: oneOf(methods),
  expectedStatus: Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1, maxItems: 100 }),
  requestHeaders: Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
  }),
  requestBody: nullable(Type.String({ maxLength: 100_000 })),
  followRedirects: Type.Boolean(),
  verifySsl: Type.Boolean(),
  keyword: nullable(Type.String({ maxLength: 500 }), { description: 'KEYWORD: the text to look for' }),
  keywordMatch: oneOf(keywordMatches),
  dnsRecordType: oneOf(dnsRecordTypes),
  dnsExpected: nullable(Type.String({ maxLength: 2000 }), {
    description: 'DNS: values that must all be present, separated by commas or new lines',
  }),
  dnsAlertOnChange: Type.Boolean(),
  sslExpiryThresholdDays: Type.Integer({ minimum: 1, maximum: 365 }),
  intervalSeconds: Type.Integer({ minimum: 30, maximum: 86_400 }),
  timeoutSeconds: Type.Integer({ minimum: 1, maximum: 60 }),
  expectedPeriodSec: nullable(Type.Integer({ minimum: 60, maximum: 2_592_000 }), {
    description: 'CRON: how often the heartbeat is expected; intervalSeconds where it is null',
  }),
  graceSeconds: Type.Integer({ minimum: 0, maximum: 86_400, description: 'CRON: how late a heartbeat may be' }),
  degradedThresholdMs: nullable(Type.Integer({ minimum: 1, maximum: 60_000 })),
  degradedThresholdMode: oneOf(thresholdModes),
  degradedSamples: Type.Integer({ minimum: 1, maximum: 100 }),
} as const

const creation = {
  name: fields.name,
  type: fields.type,
  url: defaulted(fields.url, null),
  host: defaulted(fields.host, null),
  port: defaulted(fields.port, null),
  method: defaulted(fields.method, 'GET'),
  expectedStatus: defaulted(fields.expectedStatus, defaultExpectedStatus),
  requestHeaders: defaulted(fields.requestHeaders, null),
  requestBody: defaulted(fields.requestBody, null),
  followRedirects: defaulted(fields.followRedirects, true),
  verifySsl: defaulted(fields.verifySsl, true),
  keyword: defaulted(fields.keyword, null),
  keywordMatch: defaulted(fields.keywordMatch, 'EXISTS'),
  dnsRecordType: defaulted(fields.dnsRecordType, 'A'),
  dnsExpected: defaulted(fields.dnsExpected, null),
  dnsAlertOnChange: defaulted(fields.dnsAlertOnChange, true),
  sslExpiryThresholdDays: defaulted(fields.sslExpiryThresholdDays, 2),
  intervalSeconds: defaulted(fields.intervalSeconds, 300),
  timeoutSeconds: defaulted(fields.timeoutSeconds, 30),
  expectedPeriodSec: defaulted(fields.expectedPeriodSec, null),
  graceSeconds: defaulted(fields.graceSeconds, 60),
  degradedThresholdMs: defaulted(fields.degradedThresholdMs, null),
  degradedThresholdMode: defaulted(fields.degradedThresholdMode, 'LAST'),
  degradedSamples: defaulted(fields.degradedSamples, 3),
}

const optional = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as unknown as { [K in keyof typeof fields]: Type.TOptional<(typeof fields)[K]> }

export const CreateMonitor = body('CreateMonitor', creation)

export const UpdateMonitor = body('UpdateMonitor', optional)
export type MonitorPatch = Static<typeof UpdateMonitor>

/** A monitor's settings, complete: a creation's body after its defaults. */
export type MonitorSettings = Static<typeof CreateMonitor>

const moment = nullable(Timestamp)

const { name, type, ...settings } = fields

export const Monitor = resource('Monitor', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  type,
  state: oneOf(monitorStates),
  ...withoutBounds(settings),
  heartbeatUrl: nullable(Type.String(), { description: 'The address a CRON monitor is pinged on' }),
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
export const MonitorQuery = Type.Object(pageQuery)

/** Bounds speak to those who write; a reader should not be surprised by a later version's wider ones. */
function withoutBounds<T extends object>(of: T): T {
  const bounds = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
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
