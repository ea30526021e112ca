import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type ChannelName, channelNames } from '../../src/notifications/contacts/channels/index.ts'
import type { RecordingSite } from '../outbound/fixtures.ts'
import { fetchPage } from '../publishing/public-site/fixtures.ts'
import { makeSelfSigned } from '../support/certificates.ts'
import { HandClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { OWNER, Person, tokenIn } from '../support/person.ts'
import type { RunningServer } from '../support/pharos-process.ts'
import type { Receiver } from '../support/receiver.ts'
import { AuthenticatorApp } from '../support/second-factor.ts'
import type { Answer } from '../support/server.ts'
import type { SmtpServer } from '../support/smtp-server.ts'
import { linkIn } from './mail-installation.ts'

/** Secrets by what they are: those that the user chooses, and those that responses showed once. */
export class Planted {
  /** The text to search for. */
  readonly secrets = new Map<string, string>()

  /** Letters and digits. Its beginning is unique, so that a part of it is found too. */
  choose(name: string, length = 24): string {
    const start = `planted${String(this.secrets.size).padStart(3, '0')}x`
    this.saw(name, start)
    return start.padEnd(length, 'qzvkwjbn')
  }

  saw(name: string, secret: string): string {
    assert.ok(secret.length >= 8, `${name} is too short to be searched for`)
    assert.ok(!this.secrets.has(name), name)
    this.secrets.set(name, secret)
    return secret
  }

  /** `contains` shows that the text is what it should be. */
  expectNoneIn(
    text: string,
    where: string,
    contains: string,
    isExpected: (name: string) => boolean = () => false,
  ): void {
    assert.ok(text.includes(contains), `${contains} is not in ${where}`)
    for (const [name, secret] of this.secrets) {
      if (!isExpected(name)) assert.ok(!text.includes(secret), `${name} is in ${where}`)
    }
  }
}

export function done({ status, body }: Answer): Answer['body'] {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}

const VIEWER = 'viewer@example.com'

async function mailedToken(smtp: SmtpServer, address: string, count: number): Promise<string> {
  const mails = () => smtp.mails.filter(({ to }) => to.includes(address))
  await eventually(async () => assert.equal(mails().length, count))
  return tokenIn(linkIn(mails().at(-1)?.text ?? ''))
}

export interface Scene {
  readonly server: RunningServer
  readonly smtp: SmtpServer
  readonly planted: Planted
}

export async function useAccounts({ server, smtp, planted }: Scene, setupLink: string) {
  const owner = new Person(server)
  const token = planted.saw('the setup token', tokenIn(setupLink))
  const first = planted.choose('the first password')
  done(await owner.post('/setup', { token, email: OWNER, password: first, organizationName: 'Acme' }))
  const password = planted.choose('the second password')
  done(await owner.post('/me/password', { currentPassword: first, newPassword: password }))
  const wrong = planted.choose('a wrong password')
  assert.equal((await new Person(server).signIn(OWNER, wrong)).status, 401)
  const { secret } = done(await owner.post('/me/totp', { password }))
  planted.saw('the TOTP secret', secret)
  const code = new AuthenticatorApp(secret, new HandClock(Date.now())).code()
  const { recoveryCodes } = done(await owner.post('/me/totp/confirm', { code }))
  planted.saw('a recovery code', recoveryCodes[0])
  planted.saw('the session token', owner.cookie?.split('=')[1] ?? '')
  const { link } = done(await owner.post('/invitations', { role: 'VIEWER' }))
  planted.saw('the token of an invitation', tokenIn(link))
  const key = done(await owner.post('/keys', { name: 'CI', access: 'full', expiresAt: null }))
  planted.saw('an API key', key.key)
  planted.saw('a replaced API key', done(await owner.post(`/keys/${key.id}/replace`, { overlapSeconds: 60 })).key)
  const readOnly = done(await owner.post('/keys', { name: 'Reader', access: 'read-only', expiresAt: null })).key
  planted.saw('a read-only API key', readOnly)

  done(await owner.post('/invitations', { role: 'VIEWER', email: VIEWER }))
  const viewer = new Person(server)
  const invitation = planted.saw('the token of a mailed invitation', await mailedToken(smtp, VIEWER, 1))
  const chosen = planted.choose('the password of the viewer')
  done(await viewer.post('/invitations/accept', { token: invitation, password: chosen }))
  done(await viewer.post('/password-reset/request', { email: VIEWER }))
  const reset = planted.saw('the token of a mailed password reset', await mailedToken(smtp, VIEWER, 2))
  done(await viewer.post('/password-reset', { token: reset, password: planted.choose('the reset password') }))
  planted.saw('the session token of the viewer', viewer.cookie?.split('=')[1] ?? '')
  return { owner, viewer, reader: server.client(readOnly) }
}

/** User information in every form; each is sent to the target. */
const userInfos: readonly ((choose: (name: string) => string) => string)[] = [
  (choose) => `${choose('a user name')}:${choose('a password')}`,
  (choose) => `alice@corp.example:${choose('a password after a user name with @')}`,
  (choose) => choose('a user name alone'),
  (choose) => `${choose('a user name with an empty password')}:`,
  (choose) => `:${choose('a password alone')}`,
  (choose) => `a@${choose('a part between two @')}@b`,
  (choose) => `%41:%42${choose('a password with encoded characters')}`,
  (choose) => `a:${choose('a password before a path with @')}`,
]

export async function useMonitors(owner: Person, planted: Planted, target: Receiver): Promise<void> {
  const at = (userInfo: string): string => target.url.replace('://', `://${userInfo}@`)
  const of = (what: string) => (name: string) => planted.choose(`${name} of ${what}`)
  const settings = (name: string) => ({
    name,
    type: 'HTTP',
    url: at(`probe:${planted.choose(`the password of ${name}`)}`),
    method: 'POST',
    requestHeaders: {
      authorization: `Bearer ${planted.choose(`the token of ${name}`)}`,
      'x-api-key': planted.choose(`a header of ${name}`),
    },
    requestBody: JSON.stringify({ key: planted.choose(`the body of ${name}`) }),
  })
  const plain = { type: 'HTTP', method: 'POST', requestBody: '{}' }
  for (const [i, userInfo] of userInfos.entries()) {
    const url = `${at(userInfo(of(`URL ${i}`)))}/a@b`
    done(await owner.post('/v1/monitors', { ...plain, name: `URL ${i}`, url }))
  }
  planted.saw(
    'basic credentials',
    Buffer.from(`:${planted.secrets.get('a password alone of URL 4')}`).toString('base64'),
  )
  const keyword = { ...plain, type: 'KEYWORD', keyword: 'thanks', url: at(planted.choose('the user of a keyword')) }
  done(await owner.post('/v1/monitors', { ...keyword, name: 'Keyword' }))

  const { id } = done(await owner.post('/v1/monitors', settings('Shop')))
  const changed = {
    url: at(planted.choose('a changed user name')),
    requestHeaders: { 'x-api-key': planted.choose('a changed header'), cookie: planted.choose('an added header') },
    requestBody: JSON.stringify({ key: planted.choose('a changed body') }),
  }
  done(await owner.patch(`/v1/monitors/${id}`, changed))
  const request = (what: string) => ({
    auth: { type: 'BASIC', username: 'probe', password: planted.choose(`the password of ${what}`) },
    proxyUrl: `http://probe:${planted.choose(`the proxy password of ${what}`)}@127.0.0.1:9`,
  })
  done(await owner.put(`/v1/monitors/${id}/request`, request('request options')))
  const repeated = await owner.send('PUT', `/v1/monitors/${id}/request`, request('changed request options'), {
    'idempotency-key': 'request',
  })
  done(repeated)
  done(
    await owner.post('/v1/monitors/try', {
      ...settings('a test of options'),
      options: { request: request('tried request options') },
    }),
  )
  done(await owner.post(`/v1/monitors/${id}/check`, {}))
  const { hostname: host, port } = new URL(target.url)
  const cache = done(await owner.post('/v1/monitors', { type: 'PORT', name: 'Cache', host, port: Number(port) }))
  const dialogue = (what: string) => ({
    steps: [
      { send: `AUTH ${planted.choose(`a text of ${what}`)}\r\n` },
      { sendHex: Buffer.from(planted.choose(`bytes of ${what}`)).toString('hex'), expect: '+OK' },
    ],
  })
  done(await owner.put(`/v1/monitors/${cache.id}/dialogue`, dialogue('a dialogue')))
  done(await owner.put(`/v1/monitors/${cache.id}/dialogue`, dialogue('a changed dialogue')))
  done(await owner.post(`/v1/monitors/${cache.id}/check`, {}))
  done(await owner.post('/v1/monitors/try', settings('a test')))
  const once = await owner.send('POST', '/v1/monitors', settings('Once'), { 'idempotency-key': 'once' })
  done(once)
  const removed = done(await owner.post('/v1/monitors', settings('a deleted monitor')))
  done(await owner.delete(`/v1/monitors/${removed.id}`))
  for (const [type, url] of [
    ['SSL', `user:${planted.choose('a refused password')}@shop.example`],
    ['DNS', `${planted.choose('a refused user name')}@shop.example`],
    ['HTTP', `http://user:${planted.choose('a password of an invalid URL')}@not a host/`],
  ]) {
    const refused = await owner.post('/v1/monitors', { name: 'Refused', type, url })
    assert.equal(refused.status, 400)
    planted.expectNoneIn(JSON.stringify(refused.body), 'an error', '"url"')
  }
}

/** Monitors with every kind of secret in their options. What their target answers has secrets too, which evidence must not keep. */
export async function useOptions(owner: Person, planted: Planted, target: RecordingSite): Promise<void> {
  const { key, cert } = makeSelfSigned({ hosts: ['client.test'] })
  planted.saw('a client key', key.split('\n')[1] ?? '')
  const logins: Readonly<Record<string, object>> = {
    Bearer: { auth: { type: 'BEARER', token: planted.choose('a bearer token') } },
    Digest: { auth: { type: 'DIGEST', username: 'probe', password: planted.choose('a digest password') } },
    OAuth2: {
      auth: {
        type: 'OAUTH2_CLIENT_CREDENTIALS',
        tokenUrl: target.at('/token'),
        clientId: 'probe',
        clientSecret: planted.choose('a client secret'),
      },
    },
    Certificate: { clientCertificate: { cert, key } },
  }
  for (const [name, options] of Object.entries(logins)) {
    const settings = { name, type: 'HTTP', url: target.at('/'), expectedStatus: [200, 302] }
    const { id } = done(await owner.post('/v1/monitors', settings))
    // The redirect itself is the response of one of them.
    const request = { ...options, ...(name === 'Bearer' && { maxRedirects: 0 }) }
    done(await owner.put(`/v1/monitors/${id}/request`, request))
    done(await owner.post(`/v1/monitors/${id}/check`, {}))
    done(await owner.post('/v1/monitors/try', { ...settings, options: { request: options } }))
  }
}

/** Repeats the request, as it is and encoded. */
export function debugPage({ req: { headers } }: ServerResponse, body = ''): string {
  const login = Buffer.from(headers.authorization?.replace(/^Basic /, '') ?? '', 'base64').toString('latin1')
  const text = JSON.stringify({ headers, login, body })
  return `${text}\n${encodeURIComponent(text)}`
}

/** How the target of `useOptions` answers. */
export function answersWithSecrets(planted: Planted): (path: string, response: ServerResponse) => void {
  const [user, query, cookie, access] = ['user', 'query', 'cookie', 'access token'].map((name) =>
    planted.choose(`the ${name} in a response`),
  )
  return (path, response) => {
    if (path === '/token') {
      response.end(JSON.stringify({ access_token: access, token_type: 'bearer' }))
      return
    }
    const page = debugPage(response)
    const headers = {
      'set-cookie': `session=${cookie}`,
      location: `http://me:${user}@${response.req.headers.host}/next?key=${query}#${query}`,
    }
    response.writeHead(path === '/' ? 302 : 500, headers).end(page)
  }
}

export async function usePages(owner: Person, { server, planted }: Scene, receiver: Receiver): Promise<void> {
  const page = { name: 'Status', slug: 'status', published: true, subscribersEnabled: true }
  const { data } = done(await owner.get('/v1/monitors'))
  const sections = [{ name: 'All', monitors: data.map(({ id }: { id: string }) => ({ monitorId: id })) }]
  done(await owner.post('/v1/status-pages', { ...page, sections }))
  const closed = { ...page, slug: 'closed', visibility: 'PASSWORD', password: planted.choose('a page password') }
  const { id } = done(await owner.post('/v1/status-pages', closed))
  done(await owner.patch(`/v1/status-pages/${id}`, { password: planted.choose('a changed page password') }))
  for (const kind of ['webhook', 'slack']) {
    const url = `${receiver.url}/${planted.choose(`the URL of a ${kind} subscriber`)}`
    const { status, text } = await fetchPage(`${server.url}/status/status/subscribe`, { form: { kind, url } })
    assert.equal(status, 200, text)
  }
}

export async function useEndpoints(owner: Person, planted: Planted, receiver: Receiver): Promise<void> {
  const create = async (name: string) => {
    const url = `${receiver.url}/${planted.choose(`the path of ${name}`)}?key=${planted.choose(`the query of ${name}`)}`
    const endpoint = done(await owner.post('/v1/webhook-endpoints', { url, eventTypes: ['*'] }))
    planted.saw(`the secret of ${name}`, endpoint.secret)
    return `/v1/webhook-endpoints/${endpoint.id}`
  }
  const path = await create('an endpoint')
  planted.saw('a rotated webhook secret', done(await owner.post(`${path}/rotate-secret`, {})).secret)
  done(await owner.post(`${path}/test`, {}))
  done(await owner.patch(path, { url: `${receiver.url}/${planted.choose('a changed endpoint URL')}` }))
  done(await owner.post(`${path}/test`, {}))
  done(await owner.delete(await create('a deleted endpoint')))
}

type Choose = (name: string, length?: number) => string

export const contactSettings: Readonly<Record<ChannelName, (url: string, choose: Choose) => object>> = {
  EMAIL: () => ({ address: OWNER }),
  WEBHOOK: (url, choose) => ({
    url: `${url}/${choose('URL')}`,
    token: choose('token'),
    headerName: 'x-key',
    headerValue: choose('header'),
  }),
  SLACK: (url, choose) => ({ webhookUrl: `${url}/${choose('URL')}` }),
  DISCORD: (url, choose) => ({ webhookUrl: `${url}/${choose('URL')}` }),
  TEAMS: (url, choose) => ({ webhookUrl: `${url}/${choose('URL')}` }),
  GOTIFY: (server, choose) => ({ server, token: choose('token') }),
  NTFY: (server, choose) => ({ server, topic: 'alerts', token: choose('token') }),
  OPSGENIE: (apiUrl, choose) => ({ apiUrl, apiKey: choose('key') }),
  PAGERDUTY: (apiUrl, choose) => ({ apiUrl, routingKey: choose('key', 32) }),
  PUSHOVER: (apiUrl, choose) => ({ apiUrl, appToken: choose('token', 30), userKey: choose('user', 30) }),
  TELEGRAM: (apiUrl, choose) => ({ apiUrl, botToken: `123456:${choose('token')}`, chatId: '1' }),
}

/** A contact of every channel, with a receiver of its own. */
export async function useContacts(
  owner: Person,
  planted: Planted,
  receivers: Readonly<Record<ChannelName, Receiver>>,
): Promise<void> {
  const create = async (channel: ChannelName, name: string): Promise<string> => {
    const choose: Choose = (what, length) => planted.choose(`the ${what} of a ${name} contact`, length)
    const settings = contactSettings[channel](receivers[channel].url, choose)
    return `/v1/contacts/${done(await owner.post('/v1/contacts', { name, channel, settings })).id}`
  }
  for (const channel of channelNames) {
    const path = await create(channel, channel)
    await owner.post(`${path}/test`, {})
    if (channel !== 'WEBHOOK') continue
    const token = planted.choose('the changed token of a WEBHOOK contact')
    done(await owner.patch(path, { settings: { token } }))
    done(await owner.delete(await create(channel, 'deleted WEBHOOK')))
  }
}
