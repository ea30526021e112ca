import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { CommandError } from '../command.ts'
import { suggestWord } from '../suggest.ts'
import type { Row } from './display.ts'

interface Kind {
  readonly plural: string
  readonly group: string
  /** The field that people know it by. */
  readonly name: string
  readonly list: (
    pharos: Pharos,
    name: string,
  ) => {
    toArray(): Promise<readonly Row[]>
    page(): Promise<{ readonly data: readonly Row[] }>
  }
}

const monitors: Kind = {
  plural: 'monitors',
  group: 'monitors',
  name: 'name',
  list: (pharos, q) => pharos.monitors.monitorList({ limit: 100, ...(q !== '' && { q }) }),
}

/** By the parameter or field that takes an id, without a plural. */
const kinds: Readonly<Record<string, Kind>> = {
  monitorId: monitors,
  contactId: {
    plural: 'contacts',
    group: 'contacts',
    name: 'name',
    list: (pharos) => pharos.contacts.list({ limit: 100 }),
  },
  statusPageId: {
    plural: 'status pages',
    group: 'pages',
    name: 'name',
    list: (pharos) => pharos.statusPages.list({ limit: 100 }),
  },
  maintenanceId: {
    plural: 'maintenance windows',
    group: 'windows',
    name: 'name',
    list: (pharos) => pharos.maintenanceWindows.list({ limit: 100 }),
  },
  statusIncidentId: {
    plural: 'published incidents',
    group: 'published',
    name: 'title',
    list: (pharos) => pharos.publishedIncidents.list({ limit: 100 }),
  },
  endpointId: {
    plural: 'webhook endpoints',
    group: 'webhooks',
    name: 'url',
    list: (pharos) => pharos.webhookEndpoints.list({ limit: 100 }),
  },
}

/** `attachContactIds` takes contacts. */
function kindOf(field: string): Kind | undefined {
  const name = field.replace(/s$/, '').replace(/^(attach|detach)C/, 'c')
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

export function takesNames(field: string): boolean {
  return kindOf(field) !== undefined
}

/** The id of what has this name. An id stays as it is: the server says if it does not exist. */
export async function resolveName(pharos: Pharos, field: string, given: string): Promise<string> {
  const kind = kindOf(field)
  if (kind === undefined || /^[a-z]+_[0-9a-f]*$/.test(given)) return given
  const called = (await kind.list(pharos, given).toArray()).filter((item) => item[kind.name] === given)
  if (called.length > 1) {
    const ids = called.map(({ id }) => id).join(', ')
    throw new CommandError(`${called.length} ${kind.plural} are called "${given}". Use an ID: ${ids}`)
  }
  if (called[0] === undefined) throw await unknownName(pharos, kind, given)
  return String(called[0].id)
}

async function unknownName(pharos: Pharos, { plural, group, name, list }: Kind, given: string): Promise<CommandError> {
  const { data } = await list(pharos, '').page()
  const names = data.map((item) => String(item[name]))
  const lower = given.toLowerCase()
  const meant = names.find((known) => known.toLowerCase() === lower) ?? suggestWord(given, names)
  const suggestion = meant === undefined ? '' : ` Did you mean "${meant}"?`
  const noun = plural.replace(/s$/, '')
  return new CommandError(`No ${noun} is called "${given}".${suggestion} Run "pharos ${group} list" to see all`)
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
