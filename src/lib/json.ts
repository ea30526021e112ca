/** JSON with the keys of every object in order: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

declare const describes: unique symbol

/** Text that is the JSON of a T already: sent as it is, never parsed and written again. */
export class Json<T> {
  declare readonly [describes]: T
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
