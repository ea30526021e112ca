import { Collection } from '../collection.ts'
import { type Reader, WrongFileError } from '../result.ts'
import { importContacts } from './contacts.ts'
import { createGroups } from './groups.ts'
import { importMaintenance } from './maintenance.ts'
import { importDomains, importMonitors, labelKeyOf } from './monitors.ts'
import { importPages } from './pages.ts'
import { readDatabase } from './read-database.ts'
import { chunksOf, readDump } from './read-dump.ts'
import { isSet, numberOf, objectWith, type Row, type TableName, type Tables, textOf } from './tables.ts'
import { proxyUrl } from './web.ts'

/** Reads a `kuma.db` of Uptime Kuma 1.23 or 2, or a dump of a Kuma 2 on MariaDB. */
export const readKuma: Reader = (files) => {
  // What SQLite keeps beside a database is found by its path.
  const [file, ...others] = files.filter(({ name }) => !/-(wal|shm)$/.test(name))
  if (file === undefined || others.length > 0)
    throw new WrongFileError('Give one file: kuma.db or a dump of its database.')
  const unreadable: string[] = []
  const source = file.path ?? file.bytes
  const tables = isDatabase(source)
    ? readDatabase(source, file.name, unreadable)
    : readDump(source, file.name, unreadable)
  const groups = createGroups(tables)
  const collection = new Collection('kuma', { removable, nouns: { maintenanceWindows: 'maintenance' } })
  importMonitors(collection, tables, groups)
  const domainKeys = importDomains(collection, tables)
  importContacts(collection, tables, domainKeys, groups)
  importPages(collection, tables, groups)
  importMaintenance(collection, tables, groups)
  refuseProxies(collection, tables)
  refuseOthers(collection, tables)
  return collection.result(unreadable)
}

/** What is left out of a resource if it is not valid, and what people call it. */
const removable = {
  monitors: {
    'request.ca': 'CA certificate',
    'request.clientCertificate': 'client certificate',
    'request.proxyUrl': 'proxy',
    'request.resolver': 'DNS server',
    'request.auth': 'login',
    requestHeaders: 'list of headers',
    assertions: 'assertion',
    dnsExpected: 'expected DNS record',
  },
  contacts: {
    'settings.priority': 'priority',
    'settings.device': 'device',
    'settings.threadId': 'topic',
    'settings.apiUrl': 'URL of the API',
    'settings.headerName': 'header',
    'settings.headerValue': 'value of the header',
  },
  statusPages: { slug: 'path of the page', customDomain: 'domain', logoUrl: 'logo' },
}

const MAGIC = 'SQLite format 3\0'

/** Whether it is a `kuma.db`; otherwise it should be a dump. */
export function isDatabase(source: string | Uint8Array): boolean {
  const [start] = chunksOf(source)
  return start?.toString('latin1', 0, MAGIC.length) === MAGIC
}

/** A proxy is an option of the monitors that use it. */
function refuseProxies(collection: Collection, { proxy, monitor }: Tables): void {
  const proxyObject = (row: Row) => ({
    ...objectWith('proxy')(row),
    name: `${textOf(row, 'host')}:${textOf(row, 'port')}`,
  })
  collection.readEach(proxy, proxyObject, (row, object) => {
    const users = monitor.filter((one) => String(numberOf(one, 'proxy_id')) === object.sourceId)
    const names = users.map((one) => textOf(one, 'name'))
    if (proxyUrl(row) === undefined) {
      collection.refuse(object, `Proxies with the protocol ${textOf(row, 'protocol')} are not supported.`)
    } else {
      const reason =
        names.length === 0 ? 'No monitor uses it.' : `It is in the settings of its monitors: ${names.join(', ')}.`
      collection.refuse(object, reason, 'NOT_A_MONITOR')
    }
  })
}

interface OtherKind {
  readonly table: TableName
  readonly kind: string
  /** `name` by default. */
  readonly nameColumn?: string
  /** NOT_A_MONITOR by default. */
  readonly outcome?: 'NOT_SUPPORTED'
  readonly reason: (row: Row, tables: Tables) => string
}

/** Objects that a document does not have. */
const otherKinds: readonly OtherKind[] = [
  {
    table: 'tag',
    kind: 'tag',
    reason: (row) => `A tag becomes the label ${labelKeyOf(textOf(row, 'name'))} of its monitors.`,
  },
  {
    table: 'incident',
    kind: 'incident',
    nameColumn: 'title',
    outcome: 'NOT_SUPPORTED',
    reason: (row, { status_page: pages }) => {
      const page = pages.find((one) => numberOf(one, 'id') === numberOf(row, 'status_page_id'))
      const place = page === undefined ? '' : ` on the page ${textOf(page, 'title')}`
      return isSet(row, 'active') && isSet(row, 'pin')
        ? `It is shown${place} now, and is not imported. Publish it again: ${textOf(row, 'content')}`
        : `Past incidents${place} are not imported.`
    },
  },
  {
    table: 'docker_host',
    kind: 'Docker host',
    reason: () => 'Pharos does not connect to Docker hosts. pharos discover docker monitors what containers serve.',
  },
  {
    table: 'remote_browser',
    kind: 'remote browser',
    reason: () => 'Pharos does not open pages in a browser.',
  },
  {
    table: 'api_key',
    kind: 'API key',
    outcome: 'NOT_SUPPORTED',
    reason: () => 'Keys are stored as hashes. Create a key in Pharos.',
  },
  {
    table: 'user',
    kind: 'user',
    nameColumn: 'username',
    reason: () => 'Accounts are not imported. Invite people under Members.',
  },
]

function refuseOthers(collection: Collection, tables: Tables): void {
  for (const { table, kind, nameColumn = 'name', outcome = 'NOT_A_MONITOR', reason } of otherKinds) {
    collection.readEach(tables[table], objectWith(kind, nameColumn), (row, object) =>
      collection.refuse(object, reason(row, tables), outcome),
    )
  }
}
