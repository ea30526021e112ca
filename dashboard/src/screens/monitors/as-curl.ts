import { withoutMasked } from './without-masked.ts'

/** The request as a curl command. The API key is a shell variable, so that it is not copied. */
export function asCurl(method: 'POST' | 'PATCH', url: string, body: object): string {
  const json = JSON.stringify(withoutMasked(method, body), null, 2)
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
