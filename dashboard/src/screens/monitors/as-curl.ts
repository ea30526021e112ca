/** The request that does the same, for a shell. The key is left to the shell: it does not belong in a clipboard. */
export function asCurl(method: 'POST' | 'PATCH', path: string, body: unknown): string {
  const json = JSON.stringify(body, null, 2)
    // A list of numbers reads better in a line.
    .replace(/\[\s+(\d[\d,\s]*?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)
    .replaceAll("'", "'\\''")
  return [
    `curl -X ${method} '${window.location.origin}/api/v1${path}'`,
    `-H "X-API-Key: $PHAROS_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d '${json}'`,
  ].join(' \\\n  ')
}
