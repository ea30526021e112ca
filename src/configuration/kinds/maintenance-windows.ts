import { parseSelector, selectorText } from '../../lib/selector.ts'
import { createMaintenanceWindow } from '../../monitoring/maintenance/create.ts'
import { renderSettings } from '../../monitoring/maintenance/render.ts'
import { windowsOf } from '../../monitoring/maintenance/rows.ts'
import { timingFaults } from '../../monitoring/maintenance/rules.ts'
import { CreateMaintenanceWindow, type NewMaintenanceWindow } from '../../monitoring/maintenance/schema.ts'
import { settingsFrom, settingsOf, type WindowSettings } from '../../monitoring/maintenance/settings.ts'
import { execute } from '../../storage/query.ts'
import {
  checkBody,
  type Fields,
  jsonSchemaOf,
  pick,
  renamed,
  renamedFault,
  renamedSchema,
  renaming,
  withoutDefaults,
} from './fields.ts'
import type { KindDefinition } from './kind.ts'

const names = renaming(['monitors', 'monitorIds'], ['statusPages', 'statusPageIds'])

export const maintenanceWindows: KindDefinition = {
  noun: 'maintenance window',
  table: 'maintenance_windows',
  nameColumn: 'name',
  idPrefix: 'mw_',
  path: '/maintenance-windows/:maintenanceId',
  param: 'maintenanceId',
  names,
  schema: renamedSchema(jsonSchemaOf(CreateMaintenanceWindow), names),

  read(entry, installation) {
    const checked = checkBody(createMaintenanceWindow, renamed(entry, names), installation)
    if ('faults' in checked) return { faults: checked.faults.map((fault) => renamedFault(fault, names)) }
    const { selector, ...others } = checked.value as NewMaintenanceWindow
    const settings = settingsFrom(others)
    const faults = timingFaults(settings)
    return faults.length > 0 ? { faults } : { fields: fieldsOf(settings, selector ?? null) }
  },

  write({ selector, ...fields }) {
    const body = { ...withoutDefaults(fields, CreateMaintenanceWindow), ...(selector !== null && { selector }) }
    return renamed(body, names) as Fields
  },

  mapReferences(fields, map) {
    const mapList = (list: unknown, kind: 'monitors' | 'statusPages') =>
      (list as readonly string[]).map((reference, i) => map(kind, reference, `${kind}.${i}`))
    return {
      ...fields,
      monitorIds: mapList(fields.monitorIds, 'monitors'),
      statusPageIds: mapList(fields.statusPageIds, 'statusPages'),
    }
  },

  mapSecrets: (fields) => fields,

  *load({ orgId }, ids) {
    const rows = yield* execute(windowsOf(orgId).where('w.id', 'in', ids))
    return rows.map((row) => ({ id: row.id, name: row.name, fields: fieldsOf(settingsOf(row), row.selector) }))
  },

  create: (fields) => [{ operation: 'createMaintenanceWindow', body: fields }],

  update: (_before, after, changed) => [{ operation: 'updateMaintenanceWindow', body: pick(after, changed) }],

  remove: 'deleteMaintenanceWindow',
}

/** Times and selectors in the form in which they are stored, whatever form they had in the document. */
function fieldsOf(settings: WindowSettings, selector: string | null): Fields {
  return {
    ...renderSettings(settings),
    selector: selector === null ? null : selectorText(parseSelector(selector)),
  }
}
