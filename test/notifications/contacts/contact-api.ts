import assert from 'node:assert/strict'
import type { Answer, Client } from '../../support/server.ts'

export const hook = (url = 'https://hooks.example/alerts', settings: object = {}) => ({
  name: 'Hook',
  channel: 'WEBHOOK',
  settings: { url, ...settings },
})

export async function createContact(client: Client, body: object = hook()) {
  const answer = await client.post('/contacts', body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

export async function newMonitor(client: Client): Promise<string> {
  return (await client.post('/monitors', { name: 'Job', type: 'CRON' })).body.id
}

export const faultsOf = ({ status, body }: Answer) => {
  assert.equal(status, 400, JSON.stringify(body))
  return body.error.details.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
}
