const MAX_LINE = 60

/** JSON with one member per line; short arrays and objects stay in one line. */
export function prettyJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const parts = isList
    ? value.map((item) => prettyJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${prettyJson(item, inner)}`)
  if (parts.length === 0) return isList ? '[]' : '{}'
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  // The whole body is always spread out, so that its members can be read one by one.
  if (indent !== '' && line.length + indent.length <= MAX_LINE && !line.includes('\n')) return line
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
