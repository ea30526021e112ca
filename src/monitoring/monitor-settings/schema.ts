import Type, { type Static } from 'typebox'
import { body, DOCUMENTED, defaulted, documented, nullable, oneOf, singleLine } from '../../contract/schema.ts'
import { monitorVariants } from './variants.ts'

export const monitorTypes = ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN'] as const
export type MonitorType = (typeof monitorTypes)[number]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const keywordMatches = ['EXISTS', 'NOT_EXISTS'] as const
const dnsRecordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'] as const
const thresholdModes = ['LAST', 'P95'] as const

const defaultExpectedStatus = [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308]

/** Every field a user can set, with its bounds. */
export const settingsFields = {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  type: oneOf(monitorTypes, { description: 'Decides which of the other fields apply' }),
  url: nullable(Type.String({ maxLength: 2048 }), {
    description:
      'HTTP, KEYWORD: an http(s) address. DNS, SSL, DOMAIN: an address or a bare host name. Only HTTP and KEYWORD monitors may have a ' +
      'user name and password in it. They are stored encrypted, and shown as *** to callers that may not change monitors.',
  }),
  host: nullable(Type.String({ maxLength: 255 }), { description: 'PING, PORT: a host name or an IP address' }),
  port: nullable(Type.Integer({ minimum: 1, maximum: 65_535 }), { description: 'PORT: the port to connect to' }),
  method: oneOf(methods),
  expectedStatus: Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1, maxItems: 100 }),
  requestHeaders: Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    maxProperties: 64,
    additionalProperties: { type: 'string' },
    [DOCUMENTED]: { propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" } },
    description:
      'At most 64 headers, with names and values of at most 16,384 characters in total. Stored encrypted. Callers that may not ' +
      'change monitors see the value *** except for harmless headers such as Accept. Sent back in an update, *** keeps the stored value.',
  }),
  requestBody: nullable(Type.String({ maxLength: 100_000 }), {
    description: 'Stored encrypted, and shown as *** to callers that may not change monitors.',
  }),
  followRedirects: Type.Boolean({
    description: 'The request body, credentials and headers that may be secret are not sent to another origin',
  }),
  verifySsl: Type.Boolean(),
  keyword: nullable(Type.String({ maxLength: 500 }), { description: 'KEYWORD: the text to look for' }),
  keywordMatch: oneOf(keywordMatches),
  dnsRecordType: oneOf(dnsRecordTypes),
  dnsExpected: nullable(Type.String({ maxLength: 2000 }), {
    description:
      'DNS: values that must all be present, separated by commas or new lines. Private addresses are not compared where the ' +
      'installation forbids them.',
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
  name: settingsFields.name,
  type: settingsFields.type,
  url: defaulted(settingsFields.url, null),
  host: defaulted(settingsFields.host, null),
  port: defaulted(settingsFields.port, null),
  method: defaulted(settingsFields.method, 'GET'),
  expectedStatus: defaulted(settingsFields.expectedStatus, defaultExpectedStatus),
  requestHeaders: defaulted(settingsFields.requestHeaders, null),
  requestBody: defaulted(settingsFields.requestBody, null),
  followRedirects: defaulted(settingsFields.followRedirects, true),
  verifySsl: defaulted(settingsFields.verifySsl, true),
  keyword: defaulted(settingsFields.keyword, null),
  keywordMatch: defaulted(settingsFields.keywordMatch, 'EXISTS'),
  dnsRecordType: defaulted(settingsFields.dnsRecordType, 'A'),
  dnsExpected: defaulted(settingsFields.dnsExpected, null),
  dnsAlertOnChange: defaulted(settingsFields.dnsAlertOnChange, true),
  sslExpiryThresholdDays: defaulted(settingsFields.sslExpiryThresholdDays, 2),
  intervalSeconds: defaulted(settingsFields.intervalSeconds, 300),
  timeoutSeconds: defaulted(settingsFields.timeoutSeconds, 30),
  expectedPeriodSec: defaulted(settingsFields.expectedPeriodSec, null),
  graceSeconds: defaulted(settingsFields.graceSeconds, 60),
  degradedThresholdMs: defaulted(settingsFields.degradedThresholdMs, null),
  degradedThresholdMode: defaulted(settingsFields.degradedThresholdMode, 'LAST'),
  degradedSamples: defaulted(settingsFields.degradedSamples, 3),
}

const optional = Object.fromEntries(
  Object.entries(settingsFields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as unknown as { [K in keyof typeof settingsFields]: Type.TOptional<(typeof settingsFields)[K]> }

export const CreateMonitor = documented(body('CreateMonitor', creation), monitorVariants(monitorTypes, creation))

export const UpdateMonitor = body('UpdateMonitor', optional)
export type MonitorPatch = Static<typeof UpdateMonitor>

/** Complete settings: the body of a creation with its defaults applied. */
export type MonitorSettings = Static<typeof CreateMonitor>
