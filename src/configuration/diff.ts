import { canonicalJson, isObject } from '../lib/json.ts'
import { type Fields, renamed } from './kinds/fields.ts'
import { type KindDefinition, type MapReference, SECRET } from './kinds/kind.ts'

/** A field that changes. Secrets are hidden. */
export interface FieldChange {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

/** The names of the fields that differ. */
export function changedNames(before: Fields, after: Fields): Set<string> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return new Set([...names].filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name])))
}

/** What differs, member by member of objects; lists are compared as a whole. */
export function fieldChanges(
  definition: KindDefinition,
  before: Fields,
  after: Fields,
  showReference: MapReference,
): FieldChange[] {
  const { names = new Map(), shownNulls = {} } = definition
  const shown = (fields: Fields) => renamed(definition.mapReferences(fields, showReference), names)
  const hidden = (fields: Fields) => shown(definition.mapSecrets(fields, () => SECRET))
  const changes = compare('', shown(before), shown(after), hidden(before), hidden(after))
  return changes.map(({ path, ...values }) => {
    const absent = shownNulls[path] ?? null
    return { path, before: values.before ?? absent, after: values.after ?? absent }
  })
}

/** The fields of a new resource that are not default. */
export function newFields(definition: KindDefinition, fields: Fields, showReference: MapReference): FieldChange[] {
  const hidden = definition.mapSecrets(fields, () => SECRET)
  const written = definition.write(definition.mapReferences(hidden, showReference))
  return Object.entries(written).map(([path, after]) => ({ path, before: null, after }))
}

function compare(
  path: string,
  before: unknown,
  after: unknown,
  shownBefore: unknown,
  shownAfter: unknown,
): FieldChange[] {
  if (before === after || canonicalJson(before) === canonicalJson(after)) return []
  if (path !== '' && !(isObject(before) && isObject(after))) {
    return [{ path, before: shownBefore ?? null, after: shownAfter ?? null }]
  }
  const names = new Set([...Object.keys(before as Fields), ...Object.keys(after as Fields)])
  return [...names].flatMap((name) =>
    compare(
      path === '' ? name : `${path}.${name}`,
      memberOf(before, name),
      memberOf(after, name),
      memberOf(shownBefore, name),
      memberOf(shownAfter, name),
    ),
  )
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
