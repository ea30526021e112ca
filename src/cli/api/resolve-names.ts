import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { CommandError } from '../command.ts'
import type { Row } from './display.ts'

interface Kind {
  readonly plural: string
  /** The field that people know it by. */
  readonly name: string
  readonly list: (pharos: Pharos, name: string) => { toArray(): Promise<readonly Row[]> }
}

const monitors: Kind = { plural: 'monitors', name: 'name', list: (pharos, q) => pharos.monitors.monitorList({ q }) }

/** By the parameter or field that takes an id, without a plural. */
const kinds: Readonly<Record<string, Kind>> = {
  monitorId: monitors,
  contactId: { plural: 'contacts', name: 'name', list: (pharos) => pharos.contacts.list() },
  statusPageId: { plural: 'status pages', name: 'name', list: (pharos) => pharos.statusPages.list() },
  maintenanceId: { plural: 'maintenance windows', name: 'name', list: (pharos) => pharos.maintenanceWindows.list() },
  statusIncidentId: {
    plural: 'published incidents',
    name: 'title',
    list: (pharos) => pharos.publishedIncidents.list(),
  },
  endpointId: { plural: 'webhook endpoints', name: 'url', list: (pharos) => pharos.webhookEndpoints.list() },
}

/** `attachContactIds` takes contacts. */
function kindOf(field: string): Kind | undefined {
  const name = field.replace(/s$/, '').replace(/^(attach|detach)C/, 'c')
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

export function takesNames(field: string): boolean {
  return kindOf(field) !== undefined
}

/** The id of what has this name. An id, and a name that nothing has, stay as they are: the server says that it does not exist. */
export async function resolveName(pharos: Pharos, field: string, given: string): Promise<string> {
  const kind = kindOf(field)
  if (kind === undefined || /^[a-z]+_[0-9a-f]{32}$/.test(given)) return given
  const called = (await kind.list(pharos, given).toArray()).filter((item) => item[kind.name] === given)
  if (called.length > 1) {
    const ids = called.map(({ id }) => id).join(', ')
    throw new CommandError(`${called.length} ${kind.plural} are called "${given}". Use an ID: ${ids}`)
  }
  return String(called[0]?.id ?? given)
}

/** The same for all fields that take ids. */
export async function resolveFields(pharos: Pharos, fields: Row): Promise<Row> {
  const resolved = Object.entries(fields).map(async ([field, value]) => {
    if (!takesNames(field)) return [field, value]
    if (typeof value === 'string') return [field, await resolveName(pharos, field, value)]
    if (!Array.isArray(value)) return [field, value]
    return [field, await Promise.all(value.map((each) => resolveName(pharos, field, String(each))))]
  })
  return Object.fromEntries(await Promise.all(resolved))
}
