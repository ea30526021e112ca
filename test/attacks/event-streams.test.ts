import assert from 'node:assert/strict'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { openSession } from '../../src/accounts/sessions/queries.ts'
import { eventually } from '../support/eventually.ts'
import { useInstallation } from '../support/person.ts'

describe('event streams', () => {
  const installation = useInstallation('sqlite', { env: { PHAROS_OPEN_SIGNUP: 'true' } })

  test('one organization cannot take the streams of others: all of its sessions together have 200', async () => {
    const { server, owner } = installation
    const { database } = server.running
    const { user } = (await owner.get('/me')).body
    const { id: otherOrg } = (await owner.post('/organizations', { name: 'Other' })).body
    const requests: ClientRequest[] = []
    const open = (cookie: string, organization: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const url = `${server.url}/app/api/events?organization=${organization}`
        requests.push(get(url, { headers: { cookie }, agent: false }, resolve).on('error', reject))
      })
    // As if the same user had signed in with many browsers; hashing the password each time would only take long.
    const [cookieName] = (owner.cookie as string).split('=')
    const client = { address: '127.0.0.1', userAgent: null, knownBrowsers: () => [] }
    const signIn = async () => {
      const token = await database.write(() => openSession(user.id, client, Date.now()))
      return `${cookieName}=${token}`
    }
    try {
      const statuses: (number | undefined)[] = []
      for (let session = 0; session < 21; session += 1) {
        const cookie = await signIn()
        const opened = await Promise.all(Array.from({ length: 10 }, () => open(cookie, 'default')))
        for (const { statusCode } of opened) statuses.push(statusCode)
      }
      assert.deepEqual(statuses, [...Array(200).fill(200), ...Array(10).fill(429)])
      const cookie = await signIn()
      const refused = await open(cookie, 'default')
      assert.equal(refused.headers['retry-after'], '30')
      assert.match(String(await refused.toArray()), /Too many windows of this organization are open \(limit 200\)/)
      assert.equal((await open(cookie, otherOrg)).statusCode, 200, 'another organization has its own')
      requests[0]?.destroy()
      await eventually(async () => assert.equal((await open(cookie, 'default')).statusCode, 200))
    } finally {
      for (const request of requests) request.destroy()
    }
  })
})
