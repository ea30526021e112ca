import Type, { type Static, type TUnsafe } from 'typebox'
import { body, defaulted, documented, oneOf, singleLine } from '../../contract/schema.ts'
import type { MonitorTypeDefinition } from '../monitor-types/definition.ts'
import { monitorTypes, typeFields, typesWhere } from '../monitor-types/definitions.ts'
import { choice, type Field, integer, optionalInteger, text } from '../monitor-types/fields.ts'
import { monitorVariants } from './variants.ts'

const requiring = (name: string) => (definition: MonitorTypeDefinition) => name in definition.required
const webTypes = typesWhere((definition) => definition.usesCredentialsInUrl === true)
const nameTypes = typesWhere(requiring('url')).filter((type) => !webTypes.includes(type))
const expiryTypes = typesWhere(({ expiry }) => expiry?.isDegraded === true)

/** Every field besides name and type, with its bounds and its default. */
const fields = {
  url: text(
    2048,
    `${webTypes.join(', ')}: an http(s) address. ${nameTypes.join(', ')}: an address or a bare host name. Only ` +
      `${webTypes.join(' and ')} monitors may have a user name and password in it. They are stored encrypted, and shown as *** to ` +
      'callers that may not change monitors.',
  ),
  host: text(255, `${typesWhere(requiring('host')).join(', ')}: a host name or an IP address`),
  port: optionalInteger(
    { minimum: 1, maximum: 65_535 },
    `${typesWhere(requiring('port')).join(', ')}: the port to connect to`,
  ),
  ...typeFields,
  sslExpiryThresholdDays: integer(
    { minimum: 1, maximum: 365 },
    2,
    `${expiryTypes.join(', ')}: how many days before its end an expiry is reported`,
  ),
  intervalSeconds: integer({ minimum: 30, maximum: 86_400 }, 300),
  timeoutSeconds: integer({ minimum: 1, maximum: 60 }, 30),
  expectedPeriodSec: optionalInteger(
    { minimum: 60, maximum: 2_592_000 },
    'CRON: how often the heartbeat is expected; intervalSeconds where it is null',
  ),
  graceSeconds: integer({ minimum: 0, maximum: 86_400 }, 60, 'CRON: how late a heartbeat may be'),
  degradedThresholdMs: optionalInteger({ minimum: 1, maximum: 60_000 }),
  degradedThresholdMode: choice(['LAST', 'P95']),
  degradedSamples: integer({ minimum: 1, maximum: 100 }, 3),
}

export const defaultSettings = Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.default]))

type Schemas = { readonly [K in keyof typeof fields]: (typeof fields)[K] extends Field<infer T> ? TUnsafe<T> : never }

function schemaOf({ schema, documented: keywords }: Field<unknown>) {
  const plain = Type.Unsafe<unknown>(schema)
  return keywords === undefined ? plain : documented(plain, keywords)
}

function mapFields(map: (field: Field<unknown>) => Type.TSchema): Schemas {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, map(one)])) as unknown as Schemas
}

const identity = {
  name: singleLine({ minLength: 1, maxLength: 120 }),
  type: oneOf(monitorTypes, { description: 'Decides which of the other fields apply' }),
}

/** Every field a user can set, with its bounds. */
export const settingsFields = { ...identity, ...mapFields(schemaOf) }

const creation = { ...identity, ...mapFields((one) => defaulted(schemaOf(one), one.default)) }

const optional = Object.fromEntries(
  Object.entries(settingsFields).map(([name, schema]) => [name, Type.Optional(schema)]),
) as unknown as { [K in keyof typeof settingsFields]: Type.TOptional<(typeof settingsFields)[K]> }

export const CreateMonitor = documented(body('CreateMonitor', creation), monitorVariants(creation))

export const UpdateMonitor = body('UpdateMonitor', optional)
export type MonitorPatch = Static<typeof UpdateMonitor>

/** Complete settings: the body of a creation with its defaults applied. */
export type MonitorSettings = Static<typeof CreateMonitor>
