import Type from 'typebox'
import type { MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { harmlessHeaders } from '../../lib/harmless-headers.ts'
import { isObject } from '../../lib/json.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { replaceUserInfo } from '../../lib/mask.ts'
import { secrecyOf } from '../../lib/secret-fields.ts'
import { LabelsInput, labelFaults } from '../../monitoring/labels/schema.ts'
import { optionNamed, optionNames } from '../../monitoring/monitor-options/definitions.ts'
import { mailFaults } from '../../monitoring/monitor-options/dialogue.ts'
import { misfits } from '../../monitoring/monitor-options/fit.ts'
import { withoutMoved } from '../../monitoring/monitor-options/login.ts'
import { keepSecrets, replaceOptionSecrets } from '../../monitoring/monitor-options/secrets.ts'
import { CreateMonitor, type MonitorSettings } from '../../monitoring/monitor-settings/schema.ts'
import { openOptions, openSecrets } from '../../monitoring/monitor-settings/secrets.ts'
import { settingsIn } from '../../monitoring/monitor-settings/stored.ts'
import { type MonitorType, monitorTypes } from '../../monitoring/monitor-types/definitions.ts'
import { createMonitor } from '../../monitoring/monitors/create.ts'
import { monitorsWithStates } from '../../monitoring/monitors/queries.ts'
import { monitorColumns } from '../../monitoring/monitors/render.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { execute, q } from '../../storage/query.ts'
import {
  check,
  checkBody,
  type Fields,
  faultAt,
  faultsOf,
  jsonSchemaOf,
  pick,
  withoutDefaults,
  withProperties,
} from './fields.ts'
import type { Call, KindDefinition } from './kind.ts'

const Inline = body('ConfigurationMonitor', {
  labels: Type.Optional(LabelsInput),
  paused: Type.Optional(
    Type.Boolean({ description: 'Whether checks are paused. Without it, pausing and resuming by hand is left alone.' }),
  ),
  mutedAtFirst: Type.Optional(
    Type.Boolean({
      description:
        'Its alerts are muted for seven days when it is created, or until `finish-import`. Muting and unmuting by hand is left alone.',
    }),
  ),
})

const inlineNames = [...Object.keys(Inline.properties), ...optionNames]
const settingNames = Object.keys(CreateMonitor.properties)

/** A monitor with its labels and options. */
export const monitors: KindDefinition = {
  noun: 'monitor',
  table: 'monitors',
  nameColumn: 'name',
  idPrefix: 'mon_',
  path: '/monitors/:monitorId',
  param: 'monitorId',
  schema: withProperties(jsonSchemaOf(CreateMonitor), {
    ...jsonSchemaOf(Inline).properties,
    ...Object.fromEntries(optionNames.map((name) => [name, optionSchema(name)])),
  }),

  read(entry, installation) {
    const settings = Object.fromEntries(Object.entries(entry).filter(([name]) => !inlineNames.includes(name)))
    const created = checkBody(createMonitor, settings, installation)
    const inline = check(Inline, given(pick(entry, Object.keys(Inline.properties))), labelFaults)
    const options = optionNames.flatMap((name) => {
      return entry[name] === undefined ? [] : [readOption(name, entry[name], entry.type)]
    })
    const faults = [...faultsOf(created), ...faultsOf(inline), ...options.flatMap((option) => option.faults)]
    if (!('value' in created && 'value' in inline) || faults.length > 0) return { faults }
    const values = options.map(({ name, value }) => [name, value])
    const refused = mailFaults(Object.fromEntries(values), entry.port, installation)
    if (refused.length > 0) return { faults: refused.map((fault) => faultAt('dialogue', fault)) }
    const { mutedAtFirst, ...rest } = inline.value
    const fields = { ...created.value, labels: {}, ...rest, ...Object.fromEntries(values) }
    return { fields: { ...fields, ...(mutedAtFirst === true && { mutedAtFirst }) } }
  },

  write({ labels, paused, mutedAtFirst: _, ...others }) {
    return {
      ...withoutDefaults(others, CreateMonitor),
      ...(Object.keys(labels as object).length > 0 && { labels }),
      ...(paused === true && { paused }),
    }
  },

  mapReferences: (fields) => fields,

  mapSecrets(fields, map) {
    const settings = pick(fields, settingNames)
    const options = replaceOptionSecrets(optionsIn(fields), map)
    const mapped = Object.entries(settings).map(([name, value]) => [name, mapSetting(name, value, map)])
    return { ...fields, ...Object.fromEntries(mapped), ...options }
  },

  keptFields: ['paused', 'mutedAtFirst'],
  createdFields: ['heartbeatUrl'],
  mergedFields: ['labels'],

  *load({ orgId, installation: { sealer } }, ids) {
    const rows = yield* execute(
      monitorsWithStates()
        .select(monitorColumns)
        .select('m.num')
        .where('m.org_id', '=', orgId)
        .where('m.id', 'in', ids),
    )
    const labels = yield* labelsOf(
      orgId,
      rows.map(({ num }) => num),
    )
    return rows.map((row) => {
      const owner = { orgId, id: row.id }
      const settings: MonitorSettings = { ...settingsIn(row), ...openSecrets(row.secrets, owner, sealer) }
      const options = Object.entries(openOptions(row, owner, sealer)).map(([name, value]) => [name, bare(name, value)])
      const fields = {
        ...settings,
        labels: labels(row.num),
        ...Object.fromEntries(options),
        paused: row.state === 'PAUSED',
        // Of no effect on a monitor that exists.
        mutedAtFirst: true,
      }
      return { id: row.id, name: row.name, fields }
    })
  },

  *historyDays(orgId, ids) {
    const rows = yield* execute(
      q
        .selectFrom('monitors as m')
        .leftJoin('rollup_days as r', 'r.num', 'm.num')
        .select(['m.id', (is) => is.fn.count<number>('r.start_at').as('days')])
        .where('m.org_id', '=', orgId)
        .where('m.id', 'in', ids)
        .groupBy('m.id'),
    )
    return new Map(rows.map(({ id, days }) => [id, days]))
  },

  create(fields) {
    return [
      { operation: 'createMonitor', body: pick(fields, settingNames) },
      ...subResources(
        fields,
        inlineNames.filter((name) => name !== 'mutedAtFirst' && isSet(fields[name])),
      ),
    ]
  },

  update(before, after, changed) {
    const settings = settingNames.filter((name) => changed.has(name))
    // A new address removes secrets.
    const kept = withoutMoved(optionsIn(after), destinationIn(before), destinationIn(after))
    const removed = optionNames.filter((name) => kept[name] !== after[name])
    return [
      ...(settings.length > 0 ? [{ operation: 'updateMonitor', body: pick(after, settings) }] : []),
      ...subResources(
        after,
        inlineNames.filter((name) => changed.has(name) || removed.some((other) => other === name)),
      ),
    ]
  },

  remove: 'deleteMonitor',
}

function optionsIn(fields: Fields): MonitorOptions {
  return given(pick(fields, optionNames)) as MonitorOptions
}

function destinationIn(fields: Fields) {
  const { url = null, host = null, port = null, requestHeaders = null } = fields as Partial<MonitorSettings>
  const { resolver, serverName } = optionsIn(fields).request ?? {}
  return { url, host, port, requestHeaders, resolver, serverName }
}

function subResources(fields: Fields, names: readonly string[]): Call[] {
  return names.map((name): Call => {
    if (name === 'labels') return { operation: 'setMonitorLabels', body: { labels: fields.labels } }
    if (name === 'paused') return { operation: fields.paused === true ? 'pauseMonitor' : 'resumeMonitor', body: {} }
    const option = `Monitor${name.charAt(0).toUpperCase()}${name.slice(1)}`
    return fields[name] === undefined
      ? { operation: `remove${option}` }
      : { operation: `set${option}`, body: whole(name, fields[name]) as Fields, ...(!isBare(name) && { field: name }) }
  })
}

function optionSchema(name: (typeof optionNames)[number]): JsonSchema {
  const schema = jsonSchemaOf(optionNamed(name).body)
  return (isBare(name) ? schema.properties?.[name] : schema) as JsonSchema
}

/** The document writes the list of assertions without the object around it. */
function isBare(name: string): boolean {
  return name === 'assertions'
}

function bare(name: string, value: unknown): unknown {
  return isBare(name) && isObject(value) ? value[name] : value
}

function whole(name: string, value: unknown): unknown {
  return isBare(name) ? { [name]: value } : value
}

/** Whether a new monitor needs a call for it. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && Object.keys(Object(value)).length + Number(value === true) > 0
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function readOption(name: (typeof optionNames)[number], value: unknown, type: unknown) {
  const { body: schema, faults: rules } = optionNamed(name)
  const checked = check(schema, whole(name, value), rules)
  const faults: Fault[] = faultsOf(checked, isBare(name) ? '' : name)
  const known = monitorTypes.find((one) => one === type)
  if ('value' in checked && known !== undefined) faults.push(...fitFaults(name, checked.value, known))
  return { name, value: 'value' in checked ? bare(name, checked.value) : undefined, faults }
}

function fitFaults(name: (typeof optionNames)[number], value: object, type: MonitorType): Fault[] {
  const found = [...keepSecrets(name, value, undefined).faults, ...misfits(name, value, type)]
  return found.map(({ path, message }) =>
    faultAt(isBare(name) && path !== 'body' ? '' : name, { path: path === 'body' ? '' : path, message }),
  )
}

function mapSetting(name: string, value: unknown, map: (secret: string, path: string) => string): unknown {
  switch (secrecyOf(name)) {
    case 'url':
      return typeof value === 'string' ? replaceUserInfo(value, (userInfo) => map(userInfo, name)) : value
    case 'secret':
      return typeof value === 'string' ? map(value, name) : value
    case 'headers':
      return value === null ? value : mapHeaders(value as Readonly<Record<string, string>>, name, map)
    default:
      return value
  }
}

function mapHeaders(
  headers: Readonly<Record<string, string>>,
  name: string,
  map: (secret: string, path: string) => string,
): Fields {
  const mapped = Object.entries(headers).map(([header, value]) => {
    return [header, harmlessHeaders.has(header.toLowerCase()) ? value : map(value, `${name}.${header}`)]
  })
  return Object.fromEntries(mapped)
}
