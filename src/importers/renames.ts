import { isObject } from '../lib/json.ts'
import { idSuffix } from './keys.ts'
import type { ImportedObject, ImportResult } from './result.ts'

interface Result extends Pick<ImportResult, 'document'> {
  readonly objects: readonly Pick<ImportedObject, 'key' | 'sourceId'>[]
}

/** The keys of a kind, such as `monitors`, that earlier imports gave. */
type KnownKeys = (kind: string) => readonly string[]

/**
 * By the place of an object that was renamed in the other tool since an earlier import, such as `monitors.store-12`, the key that it
 * had: another name with the same id.
 */
export function renamedKeys({ document, objects }: Result, known: KnownKeys): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>()
  for (const [kind, resources] of Object.entries(document)) {
    if (!isObject(resources)) continue
    const gone = Map.groupBy(
      known(kind).filter((key) => !Object.hasOwn(resources, key)),
      lastPart,
    )
    const kept = new Set(known(kind))
    for (const { key: place = '', sourceId } of gone.size > 0 ? objects : []) {
      const suffix = `-${idSuffix(sourceId)}`
      const key = place.slice(kind.length + 1)
      if (sourceId === '' || place !== `${kind}.${key}` || kept.has(key) || !key.endsWith(suffix)) continue
      const [before, ...others] = gone.get(lastPart(suffix))?.filter((one) => one.endsWith(suffix)) ?? []
      if (before !== undefined && others.length === 0) renamed.set(place, before)
    }
  }
  return renamed
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('-') + 1)
}

/** The document in which objects that were renamed keep the resources that they became. */
export function withRenames(result: Result, known: KnownKeys): ImportResult['document'] {
  const renamed = renamedKeys(result, known)
  if (renamed.size === 0) return result.document
  const kinds = Object.entries(result.document).map(([kind, resources]) => {
    if (!isObject(resources)) return [kind, resources]
    const entries = Object.entries(resources).map(([key, fields]) => {
      const was = renamed.get(`${kind}.${key}`)
      return [key, was === undefined ? fields : { ...(fields as object), was }]
    })
    return [kind, Object.fromEntries(entries)]
  })
  return Object.fromEntries(kinds)
}
