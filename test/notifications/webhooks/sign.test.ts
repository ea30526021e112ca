import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createSealer } from '../../../src/lib/seal.ts'
import { newSecret, openSecret, sealSecret, signingKey } from '../../../src/notifications/webhooks/secret.ts'
import { signedHeaders } from '../../../src/notifications/webhooks/sign.ts'

const nowSeconds = () => Math.floor(Date.now() / 1000)

test('the reference library verifies what is signed, over the raw bytes', () => {
  const secret = newSecret()
  const body =
    '{"id":"evt_1","type":"monitor.created","timestamp":"2026-01-01T00:00:00.000Z","data":{"name":"Grüße 🎉"}}'
  const headers = signedHeaders([signingKey(secret)], 'evt_1', nowSeconds(), body)
  assert.deepEqual(new Webhook(secret).verify(Buffer.from(body), headers), JSON.parse(body))
  assert.throws(() => new Webhook(secret).verify(body.replace('Grüße', 'Gruesse'), headers))
  assert.throws(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'evt_2' }))
  assert.throws(() => new Webhook(newSecret()).verify(body, headers))
})

test('the example of the specification gives the signature stated there', () => {
  const key = signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const headers = signedHeaders([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('with two keys either secret verifies it', () => {
  const [present, previous] = [newSecret(), newSecret()]
  const headers = signedHeaders([signingKey(present), signingKey(previous)], 'evt_1', nowSeconds(), '{}')
  assert.match(headers['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  for (const secret of [present, previous]) assert.deepEqual(new Webhook(secret).verify('{}', headers), {})
})

test('a secret is whsec_ and 32 random bytes, and its sealed form opens only for its own endpoint', () => {
  const sealer = createSealer([Buffer.alloc(32, 1)])
  const secret = newSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(signingKey(secret).symmetricKeySize, 32)
  assert.notEqual(secret, newSecret())
  const sealed = sealSecret(sealer, 'org_1', 'we_1', secret)
  assert.equal(openSecret(sealer, 'org_1', 'we_1', sealed), secret)
  assert.throws(() => openSecret(sealer, 'org_1', 'we_2', sealed))
  assert.throws(() => openSecret(sealer, 'org_2', 'we_1', sealed))
})
