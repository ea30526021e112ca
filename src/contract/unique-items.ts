import { isObject } from '../lib/json.ts'
import { reason } from '../reasons/reason.ts'
import { type Fault, faultFor } from './errors.ts'
import { DOCUMENTED } from './schema.ts'

/**
 * For a list without duplicates, checked with `duplicateFaults`. Not in the schema that validates: `uniqueItems` compares every
 * item deeply, and the stack overflows if the input is nested deeply.
 */
export const uniqueItems = { [DOCUMENTED]: { uniqueItems: true } }

/**
 * The items that occur earlier in the list, compared by `field` if they are objects. The schema reports a list that has more than
 * `maxItems`.
 */
export function duplicateFaults(path: string, list: unknown, maxItems: number, field?: string): Fault[] {
  if (!Array.isArray(list) || list.length > maxItems) return []
  const seen = new Set<unknown>()
  return list.flatMap((item: unknown, i): Fault[] => {
    const value = field === undefined ? item : isObject(item) ? item[field] : undefined
    if (value === undefined || !seen.has(value)) {
      seen.add(value)
      return []
    }
    const at = field === undefined ? `${path}.${i}` : `${path}.${i}.${field}`
    return [faultFor(at, reason('duplicate'))]
  })
}
