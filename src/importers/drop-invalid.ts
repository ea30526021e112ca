import type { Fields } from '../configuration/kinds/fields.ts'
import { type KindName, kindNames } from '../configuration/kinds/kind.ts'
import { isObject } from '../contract/validate.ts'
import { accepted } from './accepted.ts'
import type { ImportedObject, ImportResult } from './result.ts'

type Resources = Partial<Record<KindName, Readonly<Record<string, Fields>>>>

/**
 * Takes out what the server would refuse, such as a token in a wrong form, so that one such resource does not stop the import of the
 * others. Resources with variables are not judged: their values are not known yet.
 */
export function dropInvalid(result: ImportResult): ImportResult {
  const { variables = [] } = result
  const resources = result.document as Resources
  const hasVariable = (fields: Fields) => {
    const json = JSON.stringify(fields)
    return variables.some((name) => json.includes(`\${${name}}`))
  }
  const reasons = new Map<string, string>()
  const kept: Record<string, Record<string, Fields>> = {}
  const losses = new Map<string, string>()
  for (const kind of kindNames) {
    for (const [key, given] of Object.entries(resources[kind] ?? {})) {
      const place = `${kind}.${key}`
      const fields = withoutReferences(given, reasons)
      const verdict = hasVariable(fields) ? { fields } : accepted(kind, fields, {}, [])
      if ('reason' in verdict) {
        reasons.set(place, verdict.reason)
        continue
      }
      kept[kind] ??= {}
      kept[kind][key] = fields
      if (JSON.stringify(fields) !== JSON.stringify(given))
        losses.set(place, 'Monitors that were not imported are left out.')
    }
  }
  if (reasons.size === 0) return result
  const parts = kindNames
    .map((kind) => [kind, kept[kind] ?? {}])
    .filter(([kind]) => resources[kind as KindName] !== undefined)
  const named = new Set(result.objects.map(({ key }) => key))
  const others = [...reasons].filter(([place]) => !named.has(place)).map(([place, reason]) => `${place}: ${reason}`)
  return {
    ...result,
    document: { ...result.document, ...Object.fromEntries(parts) },
    objects: result.objects.map((object) => judged(object, reasons, losses)),
    unreadable: [...result.unreadable, ...others],
  }
}

function judged(
  object: ImportedObject,
  reasons: ReadonlyMap<string, string>,
  losses: ReadonlyMap<string, string>,
): ImportedObject {
  const { key = '', ...others } = object
  const reason = reasons.get(key)
  if (reason !== undefined) {
    return { ...others, outcome: 'NOT_SUPPORTED', losses: [], reason }
  }
  const loss = losses.get(key)
  return loss === undefined ? object : { ...object, outcome: 'MAPPED_WITH_LOSSES', losses: [...object.losses, loss] }
}

/** Without the monitors and status pages that were dropped. */
function withoutReferences(fields: Fields, dropped: ReadonlyMap<string, string>): Fields {
  const isKept = (kind: KindName) => (one: unknown) => {
    const key = isObject(one) ? one.monitor : one
    return !dropped.has(`${kind}.${key}`)
  }
  const filtered = (part: Fields): Fields =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        if (!Array.isArray(value)) return [name, value]
        if (name === 'monitors' || name === 'exceptMonitors') return [name, value.filter(isKept('monitors'))]
        if (name === 'statusPages') return [name, value.filter(isKept('statusPages'))]
        return [name, name === 'sections' ? value.map((section) => filtered(section as Fields)) : value]
      }),
    )
  return filtered(fields)
}
