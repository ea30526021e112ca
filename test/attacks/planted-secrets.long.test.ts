import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { Person, tokenIn } from '../support/person.ts'
import { pharos, type RunningServer, startServer } from '../support/pharos-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { AuthenticatorApp } from '../support/second-factor.ts'
import { type Answer, BOOTSTRAP_KEY } from '../support/server.ts'
import { emptyWorkspace } from '../support/workspace.ts'
import { folderText, storedText } from './stored-text.ts'

/** Secrets by what they are: those that the user chooses, and those that responses showed once. */
class Planted {
  readonly secrets = new Map<string, string>()

  choose(name: string): string {
    return this.saw(name, `planted-${this.secrets.size}-${'abcdefghijklmnop'.slice(this.secrets.size % 8)}`)
  }

  saw(name: string, secret: string): string {
    assert.ok(secret.length >= 8, `${name} is too short to be searched for`)
    this.secrets.set(name, secret)
    return secret
  }

  /** The name of a monitor shows that the text is what it should be. */
  expectNoneIn(text: string, where: string, contains: string): void {
    assert.ok(text.includes(contains), `${contains} is not in ${where}`)
    for (const [name, secret] of this.secrets) assert.ok(!text.includes(secret), `${name} is in ${where}`)
  }
}

function done({ status, body }: Answer): Answer['body'] {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}

async function useAccount(server: RunningServer, planted: Planted): Promise<Person> {
  const owner = new Person(server)
  const token = tokenIn(/http\S+token=\S+/.exec(server.output.stdout)?.[0] ?? '')
  const first = planted.choose('the first password')
  const email = 'owner@example.com'
  done(await owner.post('/setup', { token, email, password: first, organizationName: 'Acme' }))
  const password = planted.choose('the second password')
  done(await owner.post('/me/password', { currentPassword: first, newPassword: password }))
  const wrong = planted.choose('a wrong password')
  assert.equal((await new Person(server).signIn(email, wrong)).status, 401)
  const { secret } = done(await owner.post('/me/totp', { password }))
  planted.saw('the TOTP secret', secret)
  const code = new AuthenticatorApp(secret, new HandClock(Date.now())).code()
  const { recoveryCodes } = done(await owner.post('/me/totp/confirm', { code }))
  planted.saw('a recovery code', recoveryCodes[0])
  planted.saw('the session token', owner.cookie?.split('=')[1] ?? '')
  const { link } = done(await owner.post('/invitations', { role: 'VIEWER' }))
  planted.saw('the token of an invitation', tokenIn(link))
  planted.saw('an API key', done(await owner.post('/keys', { name: 'CI', access: 'full', expiresAt: null })).key)
  return owner
}

async function useMonitors(owner: Person, planted: Planted, target: Receiver): Promise<void> {
  const monitor = {
    name: 'Shop',
    type: 'HTTP',
    url: target.url.replace('://', `://probe:${planted.choose('the password of an address')}@`),
    method: 'POST',
    requestHeaders: {
      authorization: `Bearer ${planted.choose('the token of a monitor')}`,
      'x-api-key': planted.choose('a header of a monitor'),
    },
    requestBody: JSON.stringify({ key: planted.choose('the body of a monitor') }),
  }
  const { id } = done(await owner.post('/v1/monitors', monitor))
  done(await owner.post('/v1/monitors/try', monitor))
  await eventually(async () => assert.ok(target.messages.length >= 2))
  const changed = { requestHeaders: { 'x-api-key': planted.choose('a changed header of a monitor') } }
  done(await owner.patch(`/v1/monitors/${id}`, changed))
  done(await owner.post(`/v1/monitors/${id}/check`, {}))
  const other = done(await owner.post('/v1/monitors', { ...monitor, name: 'Deleted' }))
  done(await owner.delete(`/v1/monitors/${other.id}`))
  const page = { name: 'Status', slug: 'status', visibility: 'PASSWORD', password: planted.choose('a page password') }
  done(await owner.post('/v1/status-pages', { ...page, published: true }))
}

async function useNotifications(owner: Person, planted: Planted, receiver: Receiver): Promise<void> {
  const endpoint = done(await owner.post('/v1/webhook-endpoints', { url: receiver.url, eventTypes: ['*'] }))
  planted.saw('a webhook secret', endpoint.secret)
  const rotated = done(await owner.post(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`, {}))
  planted.saw('a rotated webhook secret', rotated.secret)
  const settings = {
    WEBHOOK: {
      url: `${receiver.url}/${planted.choose('the address of a webhook contact')}`,
      token: planted.choose('the token of a webhook contact'),
      headerName: 'x-key',
      headerValue: planted.choose('the header of a webhook contact'),
    },
    SLACK: { webhookUrl: `${receiver.url}/${planted.choose('the address of a Slack contact')}` },
    GOTIFY: { server: receiver.url, token: planted.choose('the token of a Gotify contact') },
  }
  for (const [channel, of] of Object.entries(settings)) {
    const { id } = done(await owner.post('/v1/contacts', { name: channel, channel, settings: of }))
    await owner.post(`/v1/contacts/${id}/test`, {})
  }
}

forEachEngine('20 secrets planted in a day of use', (engine) => {
  test('are found neither in the database nor in the data folder, the backup or the logs', async () => {
    await using workspace = await emptyWorkspace(engine)
    await using receiver = await startReceiver()
    const planted = new Planted()
    const smtp = planted.choose('the SMTP password')
    const env = {
      ...workspace.env,
      PHAROS_BOOTSTRAP_KEY: planted.saw('the bootstrap key', BOOTSTRAP_KEY),
      PHAROS_SMTP_URL: `smtp://mailer:${smtp}@127.0.0.1:9`,
      PHAROS_MAIL_FROM: 'pharos@example.com',
      PHAROS_PRIVATE_WEBHOOKS: 'allow',
      PHAROS_LOG_LEVEL: 'trace',
    }
    const logs: string[] = []
    {
      await using server = await startServer(env)
      const owner = await useAccount(server, planted)
      await useNotifications(owner, planted, receiver)
      await useMonitors(owner, planted, receiver)
      const key = planted.secrets.get('an API key') ?? ''
      done(await server.client(key).get('/monitors'))
      server.signal('SIGTERM')
      await server.ended
      logs.push(server.output.stdout, server.output.stderr)
    }
    assert.ok(planted.secrets.size >= 20, `${planted.secrets.size} secrets were planted`)
    planted.expectNoneIn(logs.join('\n'), 'the logs', 'Pharos is running')
    if (engine === 'sqlite') {
      const { code, stderr } = await pharos(['backup', join(workspace.folder, 'backup.db')], { env })
      assert.equal(code, 0, stderr)
    } else {
      planted.expectNoneIn(await storedText(await workspace.open()), 'the database', 'Shop')
    }
    const inFolder = engine === 'sqlite' ? 'Shop' : ''
    planted.expectNoneIn(folderText(workspace.folder), 'the data folder or the backup', inFolder)
  })
})
