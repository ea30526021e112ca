import type { Fault } from './errors.ts'
import { DOCUMENTED } from './schema.ts'

/**
 * For a list without duplicates, checked with `duplicateFaults`. Not in the schema that validates: `uniqueItems` compares every
 * item deeply, and the stack overflows if the input is nested deeply.
 */
export const uniqueItems = { [DOCUMENTED]: { uniqueItems: true } }

/** The items that are in the list already. The schema reports a list that has more than `maxItems`. */
export function duplicateFaults(path: string, list: unknown, maxItems: number): Fault[] {
  if (!Array.isArray(list) || list.length > maxItems) return []
  const seen = new Set<unknown>()
  return list.flatMap((item: unknown, i): Fault[] => {
    if (!seen.has(item)) {
      seen.add(item)
      return []
    }
    return [{ path: `${path}.${i}`, message: 'is named already' }]
  })
}
