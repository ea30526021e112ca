import type { Fields } from '../configuration/kinds/fields.ts'
import { accepted } from './accepted.ts'
import { createKeys } from './keys.ts'
import type { ImportedObject, ImportResult, SourceName } from './result.ts'

const kindNames = ['monitors', 'contacts', 'statusPages', 'maintenanceWindows'] as const
type ResourceKind = (typeof kindNames)[number]

/** What a resource can do without if the server would refuse it, with what people call it. */
const removable: Readonly<Record<ResourceKind, Readonly<Record<string, string>>>> = {
  monitors: {
    labels: 'list of labels',
    requestHeaders: 'list of headers',
    requestBody: 'request body',
    dnsExpected: 'expected value',
    assertions: 'list of assertions',
    request: 'set of request options',
    confirmation: 'confirmation',
  },
  contacts: {},
  statusPages: {
    slug: 'address',
    customDomain: 'domain',
    description: 'description',
    homepageUrl: 'address of the website',
    contactUrl: 'contact address',
    logoUrl: 'logo',
    faviconUrl: 'icon',
    accentColor: 'color',
    historyDays: 'length of the history',
    sections: 'list of sections',
  },
  maintenanceWindows: { description: 'description' },
}

/** An object of the other tool, as the report names it. */
export type SourceObject = Pick<ImportedObject, 'kind' | 'sourceId' | 'name'>

/** The document and the report while they are made. */
export class Collection {
  readonly #resources = Object.fromEntries(kindNames.map((kind) => [kind, {} as Record<string, Fields>])) as Readonly<
    Record<ResourceKind, Record<string, Fields>>
  >
  readonly #newKey: Readonly<Record<ResourceKind, ReturnType<typeof createKeys>>> = {
    monitors: createKeys('monitor'),
    contacts: createKeys('contact'),
    statusPages: createKeys('page'),
    maintenanceWindows: createKeys('window'),
  }
  readonly #keys = new Map<string, string>()
  readonly #objects: ImportedObject[] = []

  /** Adds the resource that an object becomes. Refuses the object if a plan would not accept it. */
  map(object: SourceObject, kind: ResourceKind, fields: Fields, losses: string[] = []): void {
    const verdict = accepted(kind, fields, removable[kind], losses)
    if ('reason' in verdict) {
      this.refuse(object, verdict.reason)
      return
    }
    const key = this.#save(kind, object.sourceId, object.name, verdict.fields)
    this.#keys.set(`${object.kind} ${object.sourceId}`, key)
    const outcome = losses.length > 0 ? 'MAPPED_WITH_LOSSES' : 'MAPPED'
    this.#objects.push({ ...object, outcome, key: `${kind}.${key}`, losses })
  }

  /**
   * Adds a further resource of an object, with an id that no object has. Returns its key, or undefined if a plan would not
   * accept it, which is added to the losses.
   */
  add(kind: ResourceKind, sourceId: string, fields: Fields, losses: string[]): string | undefined {
    const verdict = accepted(kind, fields, removable[kind], losses)
    if ('fields' in verdict) return this.#save(kind, sourceId, String(fields.name), verdict.fields)
    losses.push(verdict.reason)
    return undefined
  }

  /** Contacts arrive disabled, so that two tools do not alert the same people. */
  #save(kind: ResourceKind, sourceId: string, name: string, fields: Fields): string {
    const key = this.#newKey[kind](sourceId, name)
    this.#resources[kind][key] = kind === 'contacts' ? { ...fields, disabledAtFirst: true } : fields
    return key
  }

  refuse(object: SourceObject, reason: string, outcome: 'NOT_SUPPORTED' | 'NOT_A_MONITOR' = 'NOT_SUPPORTED'): void {
    this.#objects.push({ ...object, outcome, losses: [], reason })
  }

  /** The key of the resource that an object became. */
  keyOf(kind: string, sourceId: string): string | undefined {
    return this.#keys.get(`${kind} ${sourceId}`)
  }

  result(source: SourceName, unreadable: readonly string[]): ImportResult {
    const used = kindNames.filter((kind) => Object.keys(this.#resources[kind]).length > 0)
    const resources = Object.fromEntries(used.map((kind) => [kind, this.#resources[kind]]))
    return { document: { version: 1, source: `import-${source}`, ...resources }, objects: this.#objects, unreadable }
  }
}
