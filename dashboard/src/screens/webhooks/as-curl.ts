/** Quotes text for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

interface Request {
  readonly url: string
  readonly headers: Readonly<Record<string, string | null>>
  readonly body: string
}

/** The request as a curl command, without the signature, which is not stored: receivers that verify it will reject the request. */
export function asCurl({ url, headers, body }: Request): string {
  const sent = Object.entries(headers).filter(([, value]) => value !== null)
  return [
    `curl -X POST ${quoted(url)}`,
    ...sent.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  --data-raw ${quoted(body)}`,
  ].join(' \\\n')
}
