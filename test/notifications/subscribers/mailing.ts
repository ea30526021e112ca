import assert from 'node:assert/strict'
import type { Selectable } from 'kysely'
import type { SubscriberRow } from '../../../src/notifications/subscribers/queries.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { Schema } from '../../../src/storage/schema.ts'
import { type ApiObject, createMonitor, createPage, fetchPage } from '../../publishing/public-site/fixtures.ts'
import { HandClock } from '../../support/clock.ts'
import type { Engine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { LOGIN, type Mail, type SmtpServer, startSmtp } from '../../support/smtp-server.ts'

export function mailEnv(port: number): { PHAROS_SMTP_URL: string; PHAROS_MAIL_FROM: string } {
  const login = `${LOGIN.user}:${encodeURIComponent(LOGIN.password)}`
  return { PHAROS_SMTP_URL: `smtp://${login}@127.0.0.1:${port}`, PHAROS_MAIL_FROM: 'Pharos <status@example.com>' }
}

export interface MailingTest extends AsyncDisposable {
  readonly server: TestServer
  readonly client: Client
  readonly smtp: SmtpServer
  readonly clock: HandClock
  /** A page that people can subscribe to, with one monitor. */
  page(fields?: object): Promise<ApiObject>
  post(page: ApiObject, email: string): Promise<{ status: number; text: string }>
  /** Subscribes with the form, the e-mail and the confirmation button. */
  subscribe(page: ApiObject, email: string): Promise<void>
  /** Inserts confirmed subscribers. */
  fill(page: ApiObject, addresses: readonly string[]): Promise<void>
  /** The rows. */
  subscribers(): Promise<readonly SubscriberRow[]>
  deliveries(): Promise<readonly Selectable<Schema['deliveries']>[]>
  mailsTo(address: string): Mail[]
  /** Waits until this many e-mails have arrived. */
  received(count: number): Promise<readonly Mail[]>
  /** Waits until everything is sent. */
  quiet(): Promise<void>
  /** Waits until nothing is due or in flight. Nothing more is sent then until the clock advances or something is queued. */
  idle(): Promise<void>
}

/** A server with mailer and scheduler, a mail server, and a clock that only the test advances. */
export async function newMailingTest(engine: Engine, env: Record<string, string> = {}): Promise<MailingTest> {
  const smtp = await startSmtp()
  const clock = new HandClock()
  const roles = { PHAROS_ROLES: 'api,sender,scheduler' }
  const server = await startTestServer(engine, { clock, env: { ...roles, ...mailEnv(smtp.port), ...env } })
  const client = server.client()
  const { database } = server.running
  const stage: MailingTest = {
    server,
    client,
    smtp,
    clock,
    async page(fields = {}) {
      return createPage(client, [await createMonitor(client, 'Website')], { subscribersEnabled: true, ...fields })
    },
    post: (page, email) => fetchPage(`${server.url}/status/${page.slug}/subscribe`, { form: { email } }),
    async subscribe(page, email) {
      const before = stage.mailsTo(email).length
      await stage.post(page, email)
      const mail = await eventually(async () => {
        const mails = stage.mailsTo(email)
        assert.ok(mails.length > before, 'a confirmation e-mail arrived')
        return mails.at(-1) as Mail
      })
      const { status } = await fetchPage(at(server, linkIn(mail.text, 'confirm')), { method: 'POST' })
      assert.equal(status, 200)
    },
    async fill({ id: pageId }, addresses) {
      const orgId = await server.defaultOrgId()
      await database.write(function* () {
        for (const [i, address] of addresses.entries()) {
          yield* execute(q.insertInto('subscribers').values(confirmed(orgId, pageId, `${pageId}${i}`, address)))
        }
      })
    },
    subscribers: async () => database.read(execute(q.selectFrom('subscribers').selectAll())),
    deliveries: async () => database.read(execute(q.selectFrom('deliveries').selectAll())),
    mailsTo: (address) => smtp.mails.filter(({ to }) => to.includes(address)),
    async received(count) {
      await eventually(async () => assert.ok(smtp.mails.length >= count, `${smtp.mails.length} of ${count}`))
      return smtp.mails
    },
    async quiet() {
      await eventually(async () => assert.deepEqual(await stage.deliveries(), []))
    },
    async idle() {
      const now = clock.now()
      const due = {
        deliveries: q
          .selectFrom('deliveries')
          .select('id')
          .where((is) => is.or([is('due_at', '<=', now), is('claimed_by', 'is not', null)])),
        transitions: q.selectFrom('maintenance_windows').select('id').where('next_transition_at', '<=', now),
      }
      await eventually(async () => {
        for (const [name, query] of Object.entries(due)) assert.deepEqual(await database.read(execute(query)), [], name)
      })
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await smtp[Symbol.asyncDispose]()
    },
  }
  return stage
}

/** The addresses u0, u1, … */
export const people = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}@example.com`)

export function confirmed(orgId: string, pageId: string, name: string, address: string) {
  return {
    org_id: orgId,
    id: `sub_${name}`,
    page_id: pageId,
    kind: 'EMAIL',
    address,
    state: 'CONFIRMED',
    rejections: 0,
    last_error: null,
    confirm_by: null,
    created_at: 1,
    confirmed_at: 1,
  } as const
}

/** The text of an e-mail, with LF line ends. */
export function textOf(mail: Mail | undefined): string {
  return mail?.text.replaceAll('\r\n', '\n') ?? ''
}

export function linkIn(text: string, purpose: 'confirm' | 'unsubscribe'): string {
  const link = new RegExp(`http://\\S+/subscriptions/${purpose}/[^\\s"<>]+`).exec(text)?.[0]
  assert.ok(link, text)
  return link
}

/** The link with the address of the test server. */
export function at(server: TestServer, link: string): string {
  return link.replace(/^http:\/\/localhost:\d+/, server.url)
}
