import { withoutMasked } from './without-masked.ts'

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
