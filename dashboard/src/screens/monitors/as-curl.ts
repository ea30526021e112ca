/** The request as a curl command. The API key is a shell variable, so that it is not copied. */
function asCurl(method: 'POST' | 'PATCH' | 'PUT', url: string, body: object): string {
  const json = JSON.stringify(method === 'PUT' ? body : withoutMasked(method, body), null, 2)
    // Keeps lists of numbers on one line.
    .replace(/\[\s+(\d[\d,\s]*?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)
    .replaceAll("'", "'\\''")
  return [
    `curl -X ${method} '${url}'`,
    `-H "X-API-Key: $PHAROS_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${json}'`,
  ].join(' \\\n  ')
}

/** The commands that save a monitor with its options. The id of a new one is known only from the answer to the first command. */
export function asCommands(monitorsUrl: string, monitorId: string | undefined, body: object, options: object): string {
  const first =
    monitorId === undefined ? asCurl('POST', monitorsUrl, body) : asCurl('PATCH', `${monitorsUrl}/${monitorId}`, body)
  const rest = Object.entries(options).map(([name, value]) =>
    asCurl('PUT', `${monitorsUrl}/${monitorId ?? 'MONITOR_ID'}/${name}`, value),
  )
  const note =
    monitorId === undefined && rest.length > 0 ? ['# MONITOR_ID: the id in the response to the first command'] : []
  return [first, ...note, ...rest].join('\n\n')
}

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
