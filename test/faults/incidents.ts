import type { Client } from '../support/server.ts'

/** How many outages Pharos has reported. All targets answer all the time, so each one is false. */
export async function falseIncidents(client: Client): Promise<number> {
  const { status, body } = await client.get('/incidents?limit=1')
  if (status !== 200) throw new Error(`GET /incidents answered ${status}: ${JSON.stringify(body)}`)
  return body.pagination.total
}
