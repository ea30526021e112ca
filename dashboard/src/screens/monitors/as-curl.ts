/** The request as a curl command. The API key is a shell variable, so that it is not copied. */
export function asCurl(method: 'POST' | 'PATCH', path: string, body: unknown): string {
  const json = JSON.stringify(body, null, 2)
    // Keeps lists of numbers on one line.
    .replace(/\[\s+(\d[\d,\s]*?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)
    .replaceAll("'", "'\\''")
  return [
    `curl -X ${method} '${window.location.origin}/api/v1${path}'`,
    `-H "X-API-Key: $PHAROS_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${json}'`,
  ].join(' \\\n  ')
}
