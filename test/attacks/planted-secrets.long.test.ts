import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { channelNames } from '../../src/notifications/contacts/channels/index.ts'
import { appOperations } from '../../src/server/operations/app-table.ts'
import { operations } from '../../src/server/operations/table.ts'
import type { Database } from '../../src/storage/database.ts'
import { execute } from '../../src/storage/query.ts'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { recordingSite } from '../outbound/fixtures.ts'
import { type Engine, forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { OWNER, type Person } from '../support/person.ts'
import { type Env, pharos, type RunningServer, startServer } from '../support/pharos-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { BOOTSTRAP_KEY, type Client } from '../support/server.ts'
import { LOGIN, startSmtp } from '../support/smtp-server.ts'
import { emptyWorkspace, type Workspace } from '../support/workspace.ts'
import {
  answersWithSecrets,
  debugPage,
  done,
  Planted,
  useAccounts,
  useContacts,
  useEndpoints,
  useMonitors,
  useOptions,
  usePages,
} from './plant-secrets.ts'
import { folderText, storedText } from './stored-text.ts'

const LEAST_SECRETS = 64

/** A configuration that has a secret wherever one can be. */
function environment({ env: { DATABASE_URL, ...env } }: Workspace, planted: Planted, smtpPort: number): Env {
  const { PHAROS_SMTP_URL, PHAROS_MAIL_FROM } = mailEnv(smtpPort)
  planted.saw('the SMTP password', LOGIN.password)
  planted.saw('the encoded SMTP password', encodeURIComponent(LOGIN.password))
  return {
    ...env,
    ...(DATABASE_URL && { DATABASE_URL: withPasswords(DATABASE_URL, planted) }),
    PHAROS_SMTP_URL,
    PHAROS_MAIL_FROM,
    PHAROS_BOOTSTRAP_KEY: planted.saw('the bootstrap key', BOOTSTRAP_KEY),
    PHAROS_SECRET_KEY: planted.saw('the encryption key', randomBytes(32).toString('base64')),
    PHAROS_OIDC_ISSUER: 'http://127.0.0.1:9',
    PHAROS_OIDC_CLIENT_ID: 'pharos',
    PHAROS_OIDC_CLIENT_SECRET: planted.choose('the secret of the OpenID client'),
    PHAROS_RDAP_BOOTSTRAP: `http://user:${planted.choose('the password of the RDAP bootstrap')}@127.0.0.1:9/`,
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_PRIVATE_SUBSCRIBERS: 'allow',
    PHAROS_CONFIRM_DELAYS: '',
    PHAROS_ALERT_WAIT: '0',
    PHAROS_RATE_LIMIT: '100000',
    PHAROS_LOG_LEVEL: 'trace',
  }
}

/** The server of the tests trusts its users, and asks for no password. */
function withPasswords(url: string, planted: Planted): string {
  const userInfo = `alice@corp.example:${planted.choose('the password of the database')}`
  const parameter = `sslpassword=${planted.choose('the password of a key of the database')}`
  return `${url.replace('///', `//${userInfo}@/`)}&${parameter}`
}

/** Every answer that a viewer or a read-only key can get, as one text. */
async function answersToReaders(owner: Person, viewer: Person, reader: Client): Promise<string> {
  const lists: Readonly<Record<string, string>> = {
    monitorId: '/monitors?limit=100',
    incidentId: '/incidents',
    statusPageId: '/status-pages',
    endpointId: '/webhook-endpoints',
    deliveryId: '/webhook-deliveries?limit=10',
    contactId: '/contacts',
  }
  const ids = new Map<string, readonly string[]>()
  for (const [name, path] of Object.entries(lists)) {
    const found = done(await owner.get(`/v1${path}`)).data.map(({ id }: { id: string }) => id)
    assert.ok(found.length > 0, path)
    ids.set(name, found)
  }
  const texts: string[] = []
  for (const { method, path } of operations) {
    const name = /:(\w+)/.exec(path)?.[1]
    if (method !== 'GET' || (name !== undefined && !ids.has(name))) continue
    for (const id of name === undefined ? [''] : (ids.get(name) ?? [])) {
      const address = path.replace(/:\w+/, id)
      for (const { body } of [await reader.get(address), await viewer.get(`/v1${address}`)]) {
        texts.push(JSON.stringify(body))
      }
    }
  }
  for (const { method, path } of appOperations) {
    if (method === 'GET' && !path.includes(':')) texts.push(JSON.stringify((await viewer.get(path)).body))
  }
  return texts.join('\n')
}

async function csvOf({ url }: RunningServer, { cookie = '' }: Person): Promise<string> {
  const response = await fetch(`${url}/app/api/monitors.csv`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  assert.equal(response.status, 200)
  return response.text()
}

/** The write-ahead log of PostgreSQL from a position on, one file at a time. */
async function* writtenSince(database: Database, lsn: string): AsyncGenerator<string> {
  const files = await database.read(
    execute(sql<{ name: string }>`select name from pg_ls_waldir()
      where name between pg_walfile_name(${lsn}::pg_lsn) and pg_walfile_name(pg_current_wal_lsn()) order by name`),
  )
  for (const { name } of files) {
    const [file] = await database.read(
      execute(sql<{ bytes: Buffer }>`select pg_read_binary_file('pg_wal/' || ${name}::text) as bytes`),
    )
    yield (file as { bytes: Buffer }).bytes.toString('latin1')
  }
}

async function positionOf(database: Database): Promise<string> {
  const [row] = await database.read(execute(sql<{ lsn: string }>`select pg_current_wal_lsn()::text as lsn`))
  return (row as { lsn: string }).lsn
}

/** Bodies of messages have the secrets of their own contact only. */
function expectCleanMessages(planted: Planted, receivers: Readonly<Record<string, Receiver>>): void {
  for (const [channel, { messages }] of Object.entries(receivers)) {
    if (channel === 'EMAIL') continue
    const bodies = messages.map(({ raw }) => raw).join('\n')
    planted.expectNoneIn(bodies, `messages of ${channel}`, 'URL 0', (name) => name.endsWith(`of a ${channel} contact`))
  }
}

async function startReceivers(
  resources: AsyncDisposableStack,
): Promise<Record<(typeof channelNames)[number], Receiver>> {
  const pairs = channelNames.map(async (channel) => [channel, resources.use(await startReceiver())] as const)
  return Object.fromEntries(await Promise.all(pairs)) as Record<(typeof channelNames)[number], Receiver>
}

forEachEngine(`${LEAST_SECRETS} secrets planted in a day of use`, (engine: Engine) => {
  test('are found in no database, backup, log, message, export or answer to readers', async () => {
    await using workspace = await emptyWorkspace(engine)
    await using resources = new AsyncDisposableStack()
    const [events, target, subscriber] = [
      resources.use(await startReceiver()),
      resources.use(await startReceiver()),
      resources.use(await startReceiver()),
    ]
    const receivers = await startReceivers(resources)
    const smtp = resources.use(await startSmtp())
    const planted = new Planted()
    const env = environment(workspace, planted, smtp.port)
    const database = engine === 'postgres' ? await workspace.open() : undefined
    const start = database && (await positionOf(database))
    const exported = join(workspace.folder, 'exported')
    await using server = await startServer(env)
    const scene = { server, smtp, planted }
    const { link } = JSON.parse((await pharos(['setup-link', '--json'], { env })).stdout)
    const { owner, viewer, reader } = await useAccounts(scene, link)
    await useEndpoints(owner, planted, events)
    await useContacts(owner, planted, receivers)
    target.answer = (response) => response.writeHead(500).end(debugPage(response, target.messages.at(-1)?.raw))
    await useMonitors(owner, planted, target)
    await useOptions(owner, planted, resources.use(await recordingSite(answersWithSecrets(planted))))
    await usePages(owner, scene, subscriber)
    const alerts = () => smtp.mails.filter(({ to, text }) => to.includes(OWNER) && text.includes('URL 0'))
    await eventually(async () => {
      assert.ok(alerts().length > 0)
      for (const channel of channelNames.filter((name) => name !== 'EMAIL')) {
        assert.ok(
          receivers[channel].messages.some(({ raw }) => raw.includes('URL 0')),
          channel,
        )
      }
      assert.ok(events.messages.some(({ event }) => event.type === 'incident.opened'))
      assert.equal(subscriber.messages.length, 2)
    })
    assert.ok(planted.secrets.size >= LEAST_SECRETS, `${planted.secrets.size} secrets were planted`)

    planted.expectNoneIn(events.messages.map(({ raw }) => raw).join('\n'), 'events', 'webhook.test')
    expectCleanMessages(planted, receivers)
    for (const { text, html } of smtp.mails) planted.expectNoneIn(text + html, 'an e-mail', '', isMailed)
    planted.expectNoneIn(await answersToReaders(owner, viewer, reader), 'an answer to a reader', 'Shop')
    planted.expectNoneIn(await csvOf(server, viewer), 'the CSV export', 'Shop')
    const page = await pharos(['export-page', 'status', exported], { env })
    assert.equal(page.code, 0, page.stderr)
    planted.expectNoneIn(folderText(exported), 'the exported page', 'Shop')
    if (database === undefined) {
      assert.ok(statSync(join(workspace.storage.dataDir, 'pharos.db-wal')).size > 0)
      const { code, stderr } = await pharos(['backup', join(workspace.folder, 'backup.db')], { env })
      assert.equal(code, 0, stderr)
      planted.expectNoneIn(folderText(workspace.folder), 'the data folder, its write-ahead log or the backup', 'Shop')
    } else {
      planted.expectNoneIn(await storedText(database), 'the database', 'Shop')
      for await (const text of writtenSince(database, start ?? ''))
        planted.expectNoneIn(text, 'the write-ahead log', '')
    }
    server.signal('SIGTERM')
    await server.ended
    planted.expectNoneIn(server.output.stdout + server.output.stderr, 'the logs', 'Pharos is running')
    planted.expectNoneIn(folderText(workspace.folder), 'the folder after the end', engine === 'sqlite' ? 'Shop' : '')
    const doctor = await pharos(['doctor'], { env })
    planted.expectNoneIn(doctor.stdout + doctor.stderr, 'the output of pharos doctor', '✓ database')
  })
})

/** E-mails deliver these. */
function isMailed(name: string): boolean {
  return name.startsWith('the token of a mailed')
}
