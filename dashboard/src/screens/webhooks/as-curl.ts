/** One word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface Request {
  readonly url: string
  readonly headers: Readonly<Record<string, string | null>>
  readonly body: string
}

/** The request as a command. The signature is not kept, so whoever checks it will refuse this. */
export function asCurl({ url, headers, body }: Request): string {
  const sent = Object.entries(headers).filter(([, value]) => value !== null)
  return [
    `curl -X POST ${quoted(url)}`,
    ...sent.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n')
}
