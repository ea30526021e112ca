import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { type Service, startService } from '../notifications/contacts/service.ts'
import { HandClock } from '../support/clock.ts'
import { joinByInvitation, type Person, useInstallation } from '../support/person.ts'

const SECRET = 'stolen0123456789abcdefghijklmnop'
const TELEGRAM_TOKEN = `123456:${SECRET}`

interface Case {
  readonly channel: string
  /** The setting that decides where the secrets are sent. */
  readonly destination: string
  /** The settings other than the destination, secrets included. */
  readonly others: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

const cases: readonly Case[] = [
  { channel: 'GOTIFY', destination: 'server', others: {}, secrets: { token: SECRET } },
  { channel: 'NTFY', destination: 'server', others: { topic: 'ops' }, secrets: { token: SECRET } },
  { channel: 'OPSGENIE', destination: 'apiUrl', others: {}, secrets: { apiKey: SECRET } },
  { channel: 'PAGERDUTY', destination: 'apiUrl', others: {}, secrets: { routingKey: SECRET } },
  { channel: 'TELEGRAM', destination: 'apiUrl', others: { chatId: '1' }, secrets: { botToken: TELEGRAM_TOKEN } },
  {
    channel: 'PUSHOVER',
    destination: 'apiUrl',
    others: {},
    secrets: { appToken: SECRET.slice(0, 30), userKey: SECRET.slice(1, 31) },
  },
  {
    channel: 'WEBHOOK',
    destination: 'url',
    others: { headerName: 'X-Team' },
    secrets: { token: SECRET, headerValue: SECRET },
  },
]

describe('the secret of a contact', () => {
  const clock = new HandClock()
  const installation = useInstallation('sqlite', { clock, env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  // Ten test messages per minute are allowed.
  beforeEach(() => clock.advance(60_000))
  let joined: Person | undefined
  const member = async (): Promise<Person> => {
    joined ??= await joinByInvitation(installation, 'member@example.com', 'MEMBER')
    return joined
  }

  for (const { channel, destination, others, secrets } of cases) {
    test(`${channel}: a new ${destination} is refused without the stored secrets, and a test goes to the old one`, async () => {
      await using own = await startService(() => ({ status: 200, body: { ok: true } }))
      await using foreign = await startService(() => ({ status: 200, body: { ok: true } }))
      const { owner } = installation
      const settings = { ...others, ...secrets, [destination]: own.url }
      const { status, body: contact } = await owner.post('/v1/contacts', { name: channel, channel, settings })
      assert.equal(status, 201, JSON.stringify(contact))

      const attacker = await member()
      const change = await attacker.patch(`/v1/contacts/${contact.id}`, { settings: { [destination]: foreign.url } })
      assert.equal(change.status, 400, JSON.stringify(change.body))
      assert.deepEqual(
        change.body.error.details,
        Object.keys(secrets).map((name) => ({
          path: `settings.${name}`,
          message: 'must be entered again when the address changes',
        })),
      )
      assert.deepEqual((await attacker.post(`/v1/contacts/${contact.id}/test`)).body, { sent: true, error: null })
      assert.deepEqual([textOf(own).includes(firstOf(secrets)), foreign.received.length], [true, 0])

      // With secrets that the attacker knows, the stored ones are replaced.
      const known = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, reversed(value)]))
      const moved = await attacker.patch(`/v1/contacts/${contact.id}`, {
        settings: { [destination]: foreign.url, ...known },
      })
      assert.equal(moved.status, 200, JSON.stringify(moved.body))
      assert.equal((await attacker.post(`/v1/contacts/${contact.id}/test`)).body.sent, true)
      assert.ok(textOf(foreign).includes(firstOf(known)))
      for (const secret of Object.values(secrets)) assert.ok(!textOf(foreign).includes(secret))
    })
  }

  test('is not needed for changes that keep the address, and may be removed with a new address', async () => {
    await using own = await startService(() => ({ status: 200 }))
    await using foreign = await startService(() => ({ status: 200 }))
    const settings = { url: `${own.url}/a`, token: SECRET }
    const { body: contact } = await installation.owner.post('/v1/contacts', { name: 'h', channel: 'WEBHOOK', settings })
    const attacker = await member()
    const path = `/v1/contacts/${contact.id}`
    assert.equal((await attacker.patch(path, { settings: { url: `${own.url}/a`, headerName: 'X-A' } })).status, 200)
    // Another path of the same host may belong to somebody else.
    assert.equal((await attacker.patch(path, { settings: { url: `${own.url}/b` } })).status, 400)
    assert.equal((await attacker.patch(path, { settings: { url: foreign.url, token: null } })).status, 200)
    await attacker.post(`${path}/test`)
    assert.equal(foreign.received.length, 1)
    assert.ok(!textOf(foreign).includes(SECRET))
  })

  test('is needed when the address is removed in favour of the default', async () => {
    await using own = await startService(() => ({ status: 200 }))
    const settings = { topic: 'ops', token: SECRET, server: own.url }
    const { body: contact } = await installation.owner.post('/v1/contacts', { name: 'n', channel: 'NTFY', settings })
    const { status, body } = await (await member()).patch(`/v1/contacts/${contact.id}`, { settings: { server: null } })
    assert.deepEqual([status, body.error?.details?.[0]?.path], [400, 'settings.token'])
  })
})

function firstOf(secrets: Readonly<Record<string, string>>): string {
  return Object.values(secrets)[0] as string
}

function reversed(text: string): string {
  const [number, token] = text.includes(':') ? text.split(':') : [undefined, text]
  const back = [...(token as string)].reverse().join('')
  return number === undefined ? back : `${number}:${back}`
}

function textOf({ received }: Service): string {
  return JSON.stringify(received)
}
