/** The value with all of its texts replaced. Names of members stay. */
export function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]))
}

/** Texts as documents write them: the command line would replace `${NAME}`, and `$${` by `${`. */
export function escapeVariables(value: unknown): unknown {
  return mapTexts(value, (text) => text.replaceAll('${', () => '$${'))
}
