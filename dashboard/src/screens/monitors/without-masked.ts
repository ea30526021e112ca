/** Stands for a secret that the reader may not see. */
const MASK = '***'

/**
 * Without values that the reader may not see. A change leaves them out, which keeps what is stored; a creation has a placeholder
 * to replace.
 */
export function withoutMasked(method: 'POST' | 'PATCH', body: object): object {
  const hides = (value: unknown): boolean =>
    typeof value === 'string'
      ? value.includes(MASK)
      : typeof value === 'object' && value !== null && Object.values(value).some(hides)
  const placeholder = (name: string, value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(MASK, `REPLACE_${name.toUpperCase().replaceAll(/\W/g, '_')}`)
    return Object.fromEntries(
      Object.entries(value as object).map(([key, part]) => [key, hides(part) ? placeholder(key, part) : part]),
    )
  }
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (!hides(value)) return [[name, value]]
      return method === 'PATCH' ? [] : [[name, placeholder(name, value)]]
    }),
  )
}
