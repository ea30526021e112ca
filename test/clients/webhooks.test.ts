import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/src/index.ts'
import { newSecret, signingKey } from '../../src/notifications/webhooks/secret.ts'
import { signedHeaders } from '../../src/notifications/webhooks/sign.ts'

const [secret, previous, foreign] = [newSecret(), newSecret(), newSecret()]
const now = Date.parse('2026-11-16T12:00:00Z')
const seconds = now / 1000
const body = JSON.stringify({
  id: 'evt_1',
  type: 'webhook.test',
  timestamp: '2026-11-16T12:00:00.000Z',
  data: { a: 'ü' },
})

function signed(secrets: readonly string[], text = body, at = seconds): Record<string, string> {
  return signedHeaders(secrets.map(signingKey), 'evt_1', at, text)
}

function refusal(expected: RegExp, ...args: Parameters<typeof verifyWebhook>): Promise<void> {
  return assert.rejects(verifyWebhook(...args), (error) => {
    assert.ok(error instanceof WebhookVerificationError)
    assert.match(error.message, expected)
    return true
  })
}

describe('a webhook', () => {
  test('as the server signs it is accepted, from text and from bytes', async () => {
    const headers = signed([secret])
    const bytes = new TextEncoder().encode(body)
    for (const payload of [body, bytes, Buffer.from(body), bytes.buffer]) {
      const event = await verifyWebhook(payload, headers, secret, { now })
      assert.equal(event.type, 'webhook.test')
    }
  })

  test('as the standardwebhooks package signs it is accepted', async () => {
    const signature = new Webhook(secret).sign('evt_1', new Date(now), body)
    const headers = new Headers({
      'Webhook-Id': 'evt_1',
      'Webhook-Timestamp': `${seconds}`,
      'Webhook-Signature': signature,
    })
    assert.equal((await verifyWebhook(body, headers, secret, { now })).id, 'evt_1')
  })

  test('is accepted with either secret during a rotation, on both sides', async () => {
    for (const known of [secret, previous]) await verifyWebhook(body, signed([secret, previous]), known, { now })
    await verifyWebhook(body, signed([previous]), [secret, previous], { now })
    await refusal(/No signature matches/, body, signed([secret, previous]), foreign, { now })
  })

  test('with headers of Node is accepted, in any case', async () => {
    const headers = Object.fromEntries(
      Object.entries(signed([secret])).map(([name, value]) => [name.toUpperCase(), value]),
    )
    await verifyWebhook(body, headers, secret, { now })
  })

  test('that was changed in any part is refused', async () => {
    const headers = signed([secret])
    await refusal(/No signature/, `${body} `, headers, secret, { now })
    await refusal(/No signature/, body, { ...headers, 'webhook-id': 'evt_2' }, secret, { now })
    await refusal(/No signature/, body, { ...headers, 'webhook-timestamp': `${seconds + 1}` }, secret, { now })
    for (const signature of ['v1,', 'v1,AAAA', 'v1,%%%', 'v2,AAAA', ' ', 'v1']) {
      await refusal(/No signature/, body, { ...headers, 'webhook-signature': signature }, secret, { now })
    }
  })

  test('without one of its headers is refused', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...rest } = signed([secret])
      await refusal(new RegExp(`The header ${name} is missing`), body, rest, secret, { now })
    }
  })

  test('that is older or newer than the tolerance is refused', async () => {
    for (const age of [-300, 300]) await verifyWebhook(body, signed([secret], body, seconds + age), secret, { now })
    for (const age of [-301, 301]) {
      await refusal(/not from the last 300 seconds/, body, signed([secret], body, seconds + age), secret, { now })
      await verifyWebhook(body, signed([secret], body, seconds + age), secret, { now, toleranceSeconds: 600 })
    }
    for (const time of ['', 'now', '1e9', '0x5', '-1', ' 1']) {
      await refusal(/webhook-timestamp/, body, { ...signed([secret]), 'webhook-timestamp': time }, secret, { now })
    }
  })

  test('is not verified with a tolerance that is not a number of seconds', async () => {
    const old = signed([secret], body, seconds - 10_000)
    for (const toleranceSeconds of [Number.NaN, Number.POSITIVE_INFINITY, -1, '300', null] as number[]) {
      await assert.rejects(verifyWebhook(body, old, secret, { now, toleranceSeconds }), {
        name: 'TypeError',
        message: `toleranceSeconds must be a finite number of 0 or more, not ${toleranceSeconds}`,
      })
    }
    await verifyWebhook(body, signed([secret]), secret, { now, toleranceSeconds: 0 })
  })

  test('that is signed but not JSON is refused', async () => {
    await refusal(/not JSON/, 'hello', signed([secret], 'hello'), secret, { now })
  })

  test('cannot be verified without a proper secret', async () => {
    await assert.rejects(verifyWebhook(body, signed([secret]), '', { now }), TypeError)
    await assert.rejects(verifyWebhook(body, signed([secret]), [], { now }), TypeError)
    await assert.rejects(verifyWebhook(body, signed([secret]), 'whsec_%%%', { now }), TypeError)
  })
})
