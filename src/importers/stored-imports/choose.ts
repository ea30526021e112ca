import { isObject } from '../../lib/json.ts'

type Document = Readonly<Record<string, unknown>>

/** The document without some resources, which are given as `monitors.shop`, and without references to them. */
export function without(document: Document, places: ReadonlySet<string>): Document {
  const left = Object.entries(document).map(([kind, resources]) => {
    if (!isObject(resources) || kind === 'defaults') return [kind, resources]
    const kept = Object.entries(resources).filter(([key]) => !places.has(`${kind}.${key}`))
    return [kind, Object.fromEntries(kept.flatMap(([key, fields]) => withoutReferences(key, fields, places)))]
  })
  return Object.fromEntries(left)
}

/** The kinds that these fields of other resources refer to. */
const referringFields: Readonly<Record<string, string>> = {
  monitors: 'monitors',
  exceptMonitors: 'monitors',
  statusPages: 'statusPages',
}

/** A resource that referred only to monitors that are left out would cover all, or none: it is left out as well. */
function withoutReferences(key: string, fields: unknown, places: ReadonlySet<string>): [string, unknown][] {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const kind = referringFields[name]
        if (kind === undefined || !Array.isArray(member)) return [name, visit(member)]
        return [name, member.filter((item) => !places.has(`${kind}.${isObject(item) ? item.monitor : item}`))]
      }),
    )
  }
  const chosen = visit(fields)
  const isEmptied = isObject(fields) && isObject(chosen) && count(fields.monitors) > 0 && count(chosen.monitors) === 0
  return isEmptied ? [] : [[key, chosen]]
}

function count(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}
