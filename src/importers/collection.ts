import type { Fields } from '../configuration/kinds/fields.ts'
import { fit } from './fit.ts'
import { createKeys } from './keys.ts'
import type { ImportedObject, ImportResult, SourceName } from './result.ts'

const kindNames = ['monitors', 'contacts', 'statusPages', 'maintenanceWindows'] as const
type ResourceKind = (typeof kindNames)[number]

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
  map(object: SourceObject, kind: ResourceKind, fields: Fields, losses: readonly string[] = []): void {
    const fitted = fit(kind, fields)
    if ('reason' in fitted) {
      this.refuse(object, fitted.reason)
      return
    }
    const key = this.#save(kind, object.sourceId, object.name, fitted.fields)
    this.#keys.set(`${object.kind} ${object.sourceId}`, key)
    const all = [...losses, ...fitted.losses]
    const outcome = all.length > 0 ? 'MAPPED_WITH_LOSSES' : 'MAPPED'
    this.#objects.push({ ...object, outcome, key: `${kind}.${key}`, losses: all })
  }

  /**
   * Adds a further resource of an object, with an id that no object has. Returns its key, or undefined if a plan would not
   * accept it, which is added to the losses.
   */
  add(kind: ResourceKind, sourceId: string, fields: Fields, losses: string[]): string | undefined {
    const fitted = fit(kind, fields)
    if ('reason' in fitted) {
      losses.push(fitted.reason)
      return undefined
    }
    losses.push(...fitted.losses)
    return this.#save(kind, sourceId, String(fields.name), fitted.fields)
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
