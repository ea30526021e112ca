import type { Fault, Noun } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Fields, Renaming } from './fields.ts'

/** The kinds of resources in a document, in the order in which they are created: later ones refer to earlier ones. */
export const kindNames = ['monitors', 'statusPages', 'contacts', 'maintenanceWindows', 'webhookEndpoints'] as const
export type KindName = (typeof kindNames)[number]

/** One call of an operation. The id of the resource is added to the path, unless the call creates it or has `params`. */
export interface Call {
  /** The id of the operation. */
  readonly operation: string
  readonly params?: (id: string) => Readonly<Record<string, string>>
  readonly body?: Fields
  /** The field of the document that the body is a part of; faults name it. */
  readonly field?: string
}

/** A resource as it is stored. */
export interface Stored {
  readonly id: string
  /** What people call it. */
  readonly name: string
  readonly fields: Fields
}

interface LoadContext {
  readonly orgId: string
  readonly installation: Installation
}

/** Replaces a reference to another resource. */
export type MapReference = (kind: KindName, reference: string, path: string) => string

/** Replaces a secret. */
type MapSecret = (secret: string, path: string) => string

/**
 * How a kind of resource is written in a document. Its `fields` are the body that creates the resource, with defaults, and what
 * the document writes inline; references to other resources are ids. The reader and the writer are inverse.
 */
export interface KindDefinition {
  /** What people call it. */
  readonly noun: Noun
  /** The table of the resources. */
  readonly table: 'monitors' | 'status_pages' | 'contacts' | 'maintenance_windows' | 'webhook_endpoints'
  /** The column with what people call a resource; it may be null. */
  readonly nameColumn: 'name' | 'description'
  readonly idPrefix: string
  /** The path of a resource and the parameter in it. */
  readonly path: `/${string}`
  readonly param: string
  /** Names of fields that differ between bodies and documents. */
  readonly names?: Renaming
  /** Of one resource in the document, without `id` and `was`. */
  readonly schema: JsonSchema
  /** Reads a resource of a document. References are as they were written. */
  read(entry: Fields, installation: Installation): { readonly fields: Fields } | { readonly faults: readonly Fault[] }
  /** Writes a resource for a document, without what is default. References are as they are to be written. */
  write(fields: Fields): Fields
  mapReferences(fields: Fields, map: MapReference): Fields
  mapSecrets(fields: Fields, map: MapSecret): Fields
  /** Fields that stay as they are if the document does not have them. */
  readonly keptFields?: readonly string[]
  /** Fields that cannot change. */
  readonly fixedFields?: readonly string[]
  /** What a plan shows in place of null, for fields where null does not mean "none". */
  readonly shownNulls?: Readonly<Record<string, string>>
  /** Fields with members of their own, to which `defaults` add. */
  readonly mergedFields?: readonly string[]
  /** The names of the members that an object in an entry may have, where the schema does not tell. */
  memberNames?(entry: Fields, path: string): readonly string[]
  /** The field whose value is stored only as a hash. Where it is set, the stored fields have `SECRET`. */
  readonly hashedField?: string
  /** Fields of the response to the creation that the response to the application has, too. Nobody can know them before. */
  readonly createdFields?: readonly ('heartbeatUrl' | 'secret')[]
  /** The stored resources with these ids, of which there is at least one, in any order. */
  load(context: LoadContext, ids: readonly string[]): DbWork<readonly Stored[]>
  /** Days of history that are deleted with a resource, by id. */
  readonly historyDays?: (orgId: string, ids: readonly string[]) => DbWork<ReadonlyMap<string, number>>
  /** The first call creates the resource. */
  create(fields: Fields): readonly Call[]
  /** `changed`: the names of the fields that differ. */
  update(before: Fields, after: Fields, changed: ReadonlySet<string>): readonly Call[]
  /** The id of the operation that deletes a resource. */
  readonly remove: string
}

/** Stands for a secret where it must not be shown. */
export const SECRET = '(secret)'
