import assert from 'node:assert/strict'

const check = (name: string) => ({ name, slug: name.toLowerCase(), tags: '', desc: '', grace: 600, timeout: 3600 })

/** Two checks of Healthchecks that can be imported, and one that cannot. */
export const checks = Buffer.from(
  JSON.stringify({
    checks: [check('Backup'), check('Report'), { ...check('Odd'), timeout: undefined, schedule: '?' }],
  }),
)

/** Sends the content of files as `POST /imports?QUERY`. */
export async function upload(
  { url, key }: { readonly url: string; readonly key: string },
  query: string,
  content: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/api/v1/imports?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/octet-stream', ...headers },
    body: content,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any }
}

/** Uploads the checks and requires that they can be read. */
export async function uploadChecks(to: { readonly url: string; readonly key: string }) {
  const { status, body } = await upload(to, 'source=healthchecks', checks)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
