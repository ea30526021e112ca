import type { Fields } from '../configuration/kinds/fields.ts'
import { accepted } from './accepted.ts'
import { createKeys } from './keys.ts'
import { mutedMonitors } from './muted-monitors.ts'
import type { ImportedObject, ImportResult, SourceName } from './result.ts'
import { variablesIn } from './variables.ts'

const kindNames = ['monitors', 'contacts', 'statusPages', 'maintenanceWindows'] as const
type ResourceKind = (typeof kindNames)[number]

/** What a resource can do without if the server would refuse it, with what people call it. */
type Removable = Partial<Readonly<Record<ResourceKind, Readonly<Record<string, string>>>>>

const usuallyRemovable: Removable = {
  monitors: {
    labels: 'list of labels',
    requestHeaders: 'list of headers',
    requestBody: 'request body',
    dnsExpected: 'expected value',
    assertions: 'list of assertions',
    request: 'set of request options',
    confirmation: 'confirmation',
  },
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

/** Of every tool: a job can call another address. */
const always: Removable = { monitors: { legacyAddress: 'old address' } }

/** Errors may quote what could not be read. */
const MAX_ERROR_CHARS = 200

/** An object of the other tool, as the report names it. */
export type SourceObject = Pick<ImportedObject, 'kind' | 'sourceId' | 'name'>

/** What a key is made of: see `createKeys`. */
interface Identity {
  readonly sourceId: string
  readonly name?: string
}

/** One of the contacts that an object becomes. */
interface Recipient {
  /** For losses. */
  readonly recipient: string
  readonly identity: Identity
  readonly fields: Fields
}

interface Options {
  readonly removable?: Removable
  /** What keys have in place of a name that has no ASCII letters. */
  readonly nouns?: Partial<Readonly<Record<ResourceKind, string>>>
  /** Environment variables of the other tool. Values with variables are not judged. */
  readonly variables?: ReadonlySet<string>
}

/** The document and the report while they are made. */
export class Collection {
  readonly #source: SourceName
  readonly #removable: Removable
  readonly #variables: ReadonlySet<string> | undefined
  readonly #resources: Readonly<Record<ResourceKind, Record<string, Fields>>> = {
    monitors: {},
    contacts: {},
    statusPages: {},
    maintenanceWindows: {},
  }
  readonly #newKey: Readonly<Record<ResourceKind, ReturnType<typeof createKeys>>>
  readonly #keys = new Map<string, string>()
  readonly #objects: ImportedObject[] = []
  /** Where each resource is, in the order in which they were saved. */
  readonly #saved: { readonly kind: ResourceKind; readonly key: string }[] = []

  constructor(source: SourceName, { removable = usuallyRemovable, nouns = {}, variables }: Options = {}) {
    this.#source = source
    this.#removable = removable
    this.#variables = variables
    this.#newKey = {
      monitors: createKeys(nouns.monitors ?? 'monitor'),
      contacts: createKeys('contact'),
      statusPages: createKeys('page'),
      maintenanceWindows: createKeys(nouns.maintenanceWindows ?? 'window'),
    }
  }

  /**
   * Reads objects one by one, and returns what `read` returned. Files come from outside and may hold anything: an error costs only
   * the object in which it occurs, and what was added for it.
   */
  readEach<Item, Result>(
    items: Iterable<Item>,
    describe: (item: Item) => SourceObject,
    read: (item: Item, object: SourceObject) => Result,
  ): Result[] {
    return [...items].flatMap((item) => {
      const object = describe(item)
      const [objectCount, savedCount] = [this.#objects.length, this.#saved.length]
      try {
        return [read(item, object)]
      } catch (error) {
        for (const { kind, sourceId } of this.#objects.splice(objectCount)) this.#keys.delete(`${kind} ${sourceId}`)
        for (const { kind, key } of this.#saved.splice(savedCount)) delete this.#resources[kind][key]
        const message = error instanceof Error ? error.message : String(error)
        this.refuse(object, `It cannot be read: ${message.slice(0, MAX_ERROR_CHARS).replace(/\.$/, '')}.`)
        return []
      }
    })
  }

  /** Adds the resource that an object becomes. Refuses the object if a plan would not accept it. */
  map(
    object: SourceObject,
    kind: ResourceKind,
    fields: Fields,
    losses: string[] = [],
    identity: Identity = object,
  ): void {
    const saved = this.save(kind, identity, fields, losses)
    if ('reason' in saved) this.refuse(object, saved.reason)
    else this.report(object, kind, saved.key, losses)
  }

  /** Adds a contact for each recipient of an object. The object becomes the first one that a plan would accept. */
  mapContacts(object: SourceObject, contacts: readonly Recipient[], losses: string[]): void {
    let key: string | undefined
    let reason = 'It has no recipient.'
    for (const { recipient, identity, fields } of contacts) {
      const saved = this.save('contacts', identity, fields, losses)
      if ('key' in saved) {
        key ??= saved.key
        continue
      }
      reason = saved.reason
      if (contacts.length > 1) losses.push(`${recipient} is left out. ${reason}`)
    }
    if (key === undefined) this.refuse(object, reason)
    else this.report(object, 'contacts', key, losses)
  }

  /** Adds a resource that a plan would accept. Contacts arrive disabled, so that two tools do not alert the same people. */
  save(
    kind: ResourceKind,
    { sourceId, name }: Identity,
    given: Fields,
    losses: string[],
  ): { readonly key: string } | { readonly reason: string } {
    const used = variablesIn(given, this.#variables)
    const needed = used.map((one) => `The environment variable ${one} must be set when the document is applied.`)
    losses.push(...needed.filter((one) => !losses.includes(one)))
    const removable = { ...this.#removable[kind], ...always[kind] }
    const isOpen = (value: unknown) => variablesIn(value ?? null, this.#variables).length > 0
    const verdict = accepted(kind, given, removable, losses, isOpen)
    if ('reason' in verdict) return verdict
    const { legacyAddress } = verdict.fields
    if (given.legacyAddress !== legacyAddress) losses.push('The job must call the new address.')
    const key = this.#newKey[kind](sourceId, name)
    this.#resources[kind][key] = kind === 'contacts' ? { ...verdict.fields, disabledAtFirst: true } : verdict.fields
    this.#saved.push({ kind, key })
    return { key }
  }

  /** Reports an object that became the resource with this key. */
  report(object: SourceObject, kind: ResourceKind, key: string, losses: readonly string[]): void {
    this.#keys.set(`${object.kind} ${object.sourceId}`, key)
    const outcome = losses.length > 0 ? 'MAPPED_WITH_LOSSES' : 'MAPPED'
    this.#objects.push({ ...object, outcome, key: `${kind}.${key}`, losses })
  }

  refuse(object: SourceObject, reason: string, outcome: 'NOT_SUPPORTED' | 'NOT_A_MONITOR' = 'NOT_SUPPORTED'): void {
    this.#objects.push({ ...object, outcome, losses: [], reason })
  }

  /** The key of the resource that an object became. */
  keyOf(kind: string, sourceId: string): string | undefined {
    return this.#keys.get(`${kind} ${sourceId}`)
  }

  /** The keys of all monitors. */
  monitors(): readonly string[] {
    return Object.keys(this.#resources.monitors)
  }

  result(unreadable: readonly string[] = []): ImportResult {
    const used = kindNames.filter((kind) => Object.keys(this.#resources[kind]).length > 0)
    const resources = Object.fromEntries(used.map((kind) => [kind, this.#resources[kind]]))
    const muted = resources.monitors && mutedMonitors
    const document = { version: 1, source: `import-${this.#source}`, ...muted, ...resources }
    const result = { document, objects: this.#objects, unreadable }
    return this.#variables === undefined ? result : { ...result, variables: variablesIn(document, this.#variables) }
  }
}
