import { type DbWork, execute, q } from '../storage/query.ts'
import type { Faults } from './faults.ts'
import type { Items } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import type { KindName, MapReference } from './kinds/kind.ts'

/** Stands for the id of a resource that is not created yet. No id begins like this. */
const NEW = 'new:'

/** The key of a resource that is not created yet. */
export function newKeyIn(reference: string): string | undefined {
  return reference.startsWith(NEW) ? reference.slice(NEW.length) : undefined
}

interface TargetId {
  readonly id: string | undefined
}

/** Well below the parameter limit of both engines. */
const IDS_AT_ONCE = 500

/** References of a document: a key of its own, `other-source/key`, or the id of a resource that nothing manages. */
export class References {
  readonly #source: string
  readonly #items: Readonly<Record<KindName, Items>>
  readonly #targets: Readonly<Record<KindName, ReadonlyMap<string, TargetId>>>
  /** Where ids were written, by kind and id. */
  readonly #ids = new Map<KindName, Map<string, string>>()

  /** Ids as a document would write them. */
  readonly shown: MapReference = (kind, id) => {
    return this.#items[kind].reference(this.#source, id) ?? newKeyIn(id) ?? id
  }

  constructor(
    source: string,
    items: Readonly<Record<KindName, Items>>,
    targets: Readonly<Record<KindName, ReadonlyMap<string, TargetId>>>,
  ) {
    this.#source = source
    this.#items = items
    this.#targets = targets
  }

  /** Replaces references by ids. The path is that of the resource. */
  resolver(path: string, faults: Faults): MapReference {
    return (kind, reference, field) => {
      const at = `${path}.${field}`
      const found = this.#resolve(kind, reference, at)
      if (found !== undefined) return found
      faults.add({ path: at, message: unknown(kind, reference) })
      return reference
    }
  }

  #resolve(kind: KindName, reference: string, at: string): string | undefined {
    if (reference.startsWith(kinds[kind].idPrefix)) {
      this.#ids.getOrInsertComputed(kind, () => new Map()).set(reference, at)
      return reference
    }
    const slash = reference.indexOf('/')
    const source = slash === -1 ? this.#source : reference.slice(0, slash)
    const key = reference.slice(slash + 1)
    if (source !== this.#source) return this.#items[kind].named(source, key)?.id
    const target = this.#targets[kind].get(key)
    return target && (target.id ?? `${NEW}${key}`)
  }

  /** Adds a fault for each id that was written and does not exist. */
  *requireIds(orgId: string, faults: Faults): DbWork<void> {
    for (const [kind, places] of this.#ids) {
      const ids = [...places.keys()]
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const some = ids.slice(from, from + IDS_AT_ONCE)
        const table = kinds[kind].table as 'monitors'
        const rows = yield* execute(
          q.selectFrom(table).select('id').where('org_id', '=', orgId).where('id', 'in', some),
        )
        const known = new Set(rows.map(({ id }) => id))
        for (const id of some) {
          if (!known.has(id)) faults.add({ path: places.get(id) as string, message: unknown(kind, id) })
        }
      }
    }
  }
}

const MAX_SHOWN_CHARS = 200

function unknown(kind: KindName, given: string): string {
  const { noun } = kinds[kind]
  const reference = given.slice(0, MAX_SHOWN_CHARS)
  if (reference.startsWith(kinds[kind].idPrefix)) return `is not a ${noun} of this organization`
  return reference.includes('/')
    ? `is not a ${noun} of that source: ${reference}`
    : `is not a ${noun} of this document: ${reference}`
}
