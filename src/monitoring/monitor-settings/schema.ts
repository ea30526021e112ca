import Type, { type Static, type TUnsafe } from 'typebox'
import { body, defaulted, documented, oneOf, singleLine } from '../../contract/schema.ts'
import { type Field, field, type Intersection, type MonitorTypeDefinition } from '../monitor-types/definition.ts'
import { definitions, type MonitorType, monitorTypes, typesWhere } from '../monitor-types/definitions.ts'
import { monitorVariants } from './variants.ts'

/** The settings that belong to one type. */
const typeFields = Object.assign({}, ...Object.values(definitions).map(({ fields }) => fields)) as Intersection<
  (typeof definitions)[MonitorType]['fields']
>

const requiring = (name: string) => (definition: MonitorTypeDefinition) => name in definition.required
const webTypes = typesWhere((definition) => definition.usesCredentialsInUrl)
const nameTypes = typesWhere(requiring('url')).filter((type) => !webTypes.includes(type))

/** Every field besides name and type, with its bounds and its default. */
const fields = {
  url: field<string | null>(
    {
      type: ['string', 'null'],
      maxLength: 2048,
      description:
        `${webTypes.join(', ')}: an http(s) address. ${nameTypes.join(', ')}: an address or a bare host name. Only ` +
        `${webTypes.join(' and ')} monitors may have a user name and password in it. They are stored encrypted, and shown as *** to ` +
        'callers that may not change monitors.',
    },
    null,
  ),
  host: field<string | null>(
    {
      type: ['string', 'null'],
      maxLength: 255,
      description: `${typesWhere(requiring('host')).join(', ')}: a host name or an IP address`,
    },
    null,
  ),
  port: field<number | null>(
    {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 65_535,
      description: `${typesWhere(requiring('port')).join(', ')}: the port to connect to`,
    },
    null,
  ),
  ...typeFields,
  sslExpiryThresholdDays: field<number>(
    {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      description: `${typesWhere(({ expiry }) => expiry?.isDegraded === true).join(', ')}: how many days before its end an expiry is reported`,
    },
    2,
  ),
  intervalSeconds: field<number>({ type: 'integer', minimum: 30, maximum: 86_400 }, 300),
  timeoutSeconds: field<number>({ type: 'integer', minimum: 1, maximum: 60 }, 30),
  expectedPeriodSec: field<number | null>(
    {
      type: ['integer', 'null'],
      minimum: 60,
      maximum: 2_592_000,
      description: 'CRON: how often the heartbeat is expected; intervalSeconds where it is null',
    },
    null,
  ),
  graceSeconds: field<number>(
    { type: 'integer', minimum: 0, maximum: 86_400, description: 'CRON: how late a heartbeat may be' },
    60,
  ),
  degradedThresholdMs: field<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 60_000 }, null),
  degradedThresholdMode: field<'LAST' | 'P95'>({ type: 'string', enum: ['LAST', 'P95'] }, 'LAST'),
  degradedSamples: field<number>({ type: 'integer', minimum: 1, maximum: 100 }, 3),
}

type Schemas = { readonly [K in keyof typeof fields]: (typeof fields)[K] extends Field<infer T> ? TUnsafe<T> : never }

function schemaOf({ schema, documented: keywords }: Field<unknown>) {
  const plain = Type.Unsafe<unknown>(schema)
  return Object.keys(keywords).length === 0 ? plain : documented(plain, keywords)
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
