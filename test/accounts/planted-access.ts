import assert from 'node:assert/strict'
import { Person, tokenIn } from '../support/person.ts'
import type { TestServer } from '../support/server.ts'
import { Authenticator, addPasskey, originOf, signInWithPasskey } from './authenticator.ts'

interface Planted {
  readonly passkey: Authenticator
  readonly key: string
  readonly invitation: string
}

/** What somebody leaves behind in an account to keep access to it. */
export async function plantAccess(attacker: Person, server: TestServer): Promise<Planted> {
  const passkey = new Authenticator({ origin: originOf({ server }) })
  assert.equal((await addPasskey(attacker, passkey)).status, 201)
  const { key } = (await attacker.post('/keys', { name: 'Backdoor', access: 'full' })).body
  const { link } = (await attacker.post('/invitations', { role: 'ADMIN' })).body
  assert.equal((await signInWithPasskey(new Person(server), passkey)).status, 200)
  assert.equal((await server.client(key).get('/monitors')).status, 200)
  return { passkey, key, invitation: tokenIn(link) }
}

export async function expectAccessEnded(server: TestServer, attacker: Person, planted: Planted): Promise<void> {
  assert.equal((await signInWithPasskey(new Person(server), planted.passkey)).status, 401, 'the passkey')
  assert.equal((await attacker.get('/me')).status, 401, 'the session')
  assert.equal((await server.client(planted.key).get('/monitors')).status, 401, 'the API key')
  const link = await new Person(server).get(`/invitations/link?token=${planted.invitation}`)
  assert.equal(link.status, 404, 'the invitation')
}
