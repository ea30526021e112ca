import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { type ChannelName, channelNames, channels } from '../../../src/notifications/contacts/channels/index.ts'
import { checkSettings, redactSettings, settingsSchemaOf } from '../../../src/notifications/contacts/settings.ts'
import type { AddressPolicy } from '../../../src/outbound/address-policy.ts'
import { readConfig } from '../../../src/server/config/config.ts'

const sound: Readonly<Record<ChannelName, Record<string, unknown>>> = {
  EMAIL: { address: 'ops@example.com' },
  SLACK: { webhookUrl: 'https://hooks.slack.com/services/T0/B0/abcdefgh' },
  DISCORD: { webhookUrl: 'https://discord.com/api/webhooks/1/abcdefgh' },
  TEAMS: { webhookUrl: 'https://prod-1.logic.azure.com/workflows/abcdefgh' },
  TELEGRAM: { botToken: '123456:ABC-def_123456789', chatId: '@ops_channel' },
  PAGERDUTY: { routingKey: 'a'.repeat(32) },
  OPSGENIE: { apiKey: '12345678-1234-1234-1234-123456789012' },
  NTFY: { topic: 'ops', token: 'tk_abcdefghijklmnop' },
  GOTIFY: { server: 'https://gotify.example.com', token: 'Abcdefghijklmnop' },
  PUSHOVER: { appToken: 'a'.repeat(30), userKey: 'u'.repeat(30) },
  WEBHOOK: {
    url: 'https://example.com/in/abcdefgh',
    token: 'abcdefghijklmnop',
    headerName: 'X-Key',
    headerValue: 'v'.repeat(20),
  },
}

function faultsOf(channel: ChannelName, settings: unknown, policy: AddressPolicy = 'deny'): string[] {
  const verdict = checkSettings(channel, settings, policy)
  return 'faults' in verdict ? verdict.faults.map(({ path, message }) => `${path} ${message}`) : []
}

for (const channel of channelNames) {
  test(`${channel}: sound settings are taken, an unknown one and a missing one are named`, () => {
    assert.deepEqual(faultsOf(channel, sound[channel]), [])
    assert.deepEqual(faultsOf(channel, { ...sound[channel], colour: 'red' }), ['colour is not a known field'])
    const [required] = Object.keys(sound[channel])
    assert.ok(faultsOf(channel, {}).includes(`${required} is required`))
  })

  test(`${channel}: its secrets are shown as "set", and everything else as it is`, () => {
    const verdict = checkSettings(channel, sound[channel], 'deny')
    assert.ok('value' in verdict)
    const shown = redactSettings(channel, verdict.value)
    assert.deepEqual(Object.keys(shown), Object.keys(verdict.value))
    for (const [name, property] of Object.entries(channels[channel].settingsSchema.properties)) {
      const given = sound[channel][name]
      if (given === undefined) continue
      if ((property as { secret?: boolean }).secret !== true) assert.equal(shown[name], given)
      else assert.equal(shown[name], 'set', name)
    }
  })
}

test('the official API URL is the default and can be replaced', () => {
  const verdict = checkSettings('PAGERDUTY', sound.PAGERDUTY, 'deny')
  assert.equal('value' in verdict && verdict.value.apiUrl, 'https://events.pagerduty.com')
  const eu = checkSettings('OPSGENIE', { ...sound.OPSGENIE, apiUrl: 'https://api.eu.opsgenie.com' }, 'deny')
  assert.equal('value' in eu && eu.value.apiUrl, 'https://api.eu.opsgenie.com')
})

test('a URL must be public unless the operator allows private ones', () => {
  for (const address of [
    'http://example.com',
    'https://127.0.0.1/x',
    'https://localhost/',
    'https://gotify.lan',
    'https://a:b@example.com',
    'ftp://x',
    'nonsense',
  ]) {
    assert.equal(faultsOf('GOTIFY', { ...sound.GOTIFY, server: address }).length, 1, address)
  }
  for (const address of ['http://127.0.0.1:8080', 'https://gotify.lan/push/', 'http://localhost']) {
    assert.deepEqual(faultsOf('GOTIFY', { ...sound.GOTIFY, server: address }, 'allow'), [], address)
  }
})

test('values for headers and paths contain visible ASCII only', () => {
  const wrong: [ChannelName, Record<string, unknown>][] = [
    ['GOTIFY', { token: 'a b' }],
    ['GOTIFY', { token: 'a\r\nX-Other: b' }],
    ['NTFY', { topic: '../other' }],
    ['NTFY', { token: 'é' }],
    ['TELEGRAM', { botToken: '1:a/../x' }],
    ['TELEGRAM', { chatId: 'ops' }],
    ['PAGERDUTY', { routingKey: 'short' }],
    ['PUSHOVER', { userKey: 'x'.repeat(31) }],
    ['PUSHOVER', { priority: 3 }],
    ['PUSHOVER', { priority: '1' }],
    ['WEBHOOK', { headerName: 'Host' }],
    ['WEBHOOK', { headerName: 'content-length' }],
    ['WEBHOOK', { headerName: 'X Key' }],
    ['WEBHOOK', { headerValue: 'a\nb' }],
    ['SLACK', { webhookUrl: 7 }],
  ]
  for (const [channel, change] of wrong) {
    const faults = faultsOf(channel, { ...sound[channel], ...change })
    assert.deepEqual(
      faults.map((fault) => fault.split(' ')[0]),
      Object.keys(change),
      JSON.stringify(change),
    )
  }
})

test('all faults are reported, not only the first', () => {
  const faults = faultsOf('TELEGRAM', { botToken: 'x', chatId: '', apiUrl: 'nonsense', threadId: 0 })
  assert.deepEqual(faults.map((fault) => fault.split(' ')[0]).sort(), ['apiUrl', 'botToken', 'chatId', 'threadId'])
})

test('mail server and sender address are set together and validated', () => {
  const mail = {
    PHAROS_SMTP_URL: 'smtp://user:pa%40ss@mail.example.com:587',
    PHAROS_MAIL_FROM: 'Pharos <pharos@example.com>',
  }
  assert.deepEqual(readConfig(mail).mail, { url: mail.PHAROS_SMTP_URL, from: mail.PHAROS_MAIL_FROM })
  assert.equal(readConfig({ PHAROS_SMTP_URL: mail.PHAROS_SMTP_URL, PHAROS_MAIL_FROM: 'a@b.c' }).mail?.from, 'a@b.c')
  assert.equal(readConfig({}).mail, undefined)
  assert.equal(readConfig({ PHAROS_MAIL_FROM: 'a@b.c' }).mail, undefined)
  assert.throws(() => readConfig({ PHAROS_SMTP_URL: mail.PHAROS_SMTP_URL }), /PHAROS_MAIL_FROM: required with/)
  for (const url of ['mail.example.com', 'http://mail.example.com', 'smtp://', 'nonsense']) {
    assert.throws(() => readConfig({ ...mail, PHAROS_SMTP_URL: url }), /PHAROS_SMTP_URL: must be a mail server URL/)
  }
  for (const from of ['pharos', 'Pharos', 'a@b c@d', 'A <a@b>\nBcc: c@d', '<>']) {
    assert.throws(
      () => readConfig({ ...mail, PHAROS_MAIL_FROM: from }),
      /^ConfigError: PHAROS_MAIL_FROM: must be an e-mail address such as [^\n]*$/,
    )
  }
})

interface JsonSchemaValidator {
  compile(schema: object): (value: unknown) => boolean
}

/** The validator of another tool, with its default options: an unknown keyword or format is an error. */
const { default: Ajv } = createRequire(createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator'))(
  'ajv',
) as { default: new () => JsonSchemaValidator }

test('the settings of every channel are a JSON Schema that a default validator accepts', () => {
  for (const name of channelNames) {
    const schema = JSON.parse(JSON.stringify(settingsSchemaOf(name)))
    const isValid = new Ajv().compile(schema)
    assert.equal(isValid({}), false, name)
    assert.deepEqual(Object.keys(schema.properties), Object.keys(channels[name].settingsSchema.properties))
  }
})

test('the schema has the rules of the server', () => {
  const isValid = new Ajv().compile(settingsSchemaOf('WEBHOOK'))
  const url = 'https://hooks.example/a?b'
  assert.ok(isValid({ url, headerName: 'X-Team', headerValue: 'pay' }))
  for (const settings of [{ url: 'set' }, { url: 'x' }, { url: 'https://a@b.example' }, { url, headerName: 'HOST' }]) {
    assert.equal(isValid(settings), false, JSON.stringify(settings))
  }
})
