import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { HandClock } from '../support/clock.ts'
import type { Engine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { claim, OWNER, PASSWORD, Person, tokenIn } from '../support/person.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import { type Mail, type SmtpServer, startSmtp } from '../support/smtp-server.ts'

export interface MailInstallation extends AsyncDisposable {
  readonly server: TestServer
  readonly smtp: SmtpServer
  readonly clock: HandClock
  readonly owner: Person
  /** A browser in the given network. */
  visitor(address: string): Person
  /** Signs up through the mailed link, with an organization of this name. */
  signUp(email: string, organizationName: string, address: string): Promise<Person>
  mailsTo(address: string): readonly Mail[]
  /** Waits for this many e-mails to an address and returns the last. */
  received(address: string, count: number): Promise<Mail>
  /**
   * Waits until e-mails that were queued before have arrived: by one that is queued after them, on each connection of the
   * pool.
   */
  settled(): Promise<void>
}

type Options = Pick<TestServerOptions, 'databaseUrl' | 'dataDir' | 'alertPace' | 'env'>

/** An installation with open sign-up and a mail server, behind a proxy that names the client's address. */
export async function newMailInstallation(
  engine: Engine,
  { env, ...options }: Options = {},
): Promise<MailInstallation> {
  const smtp = await startSmtp()
  const clock = new HandClock()
  const server = await startTestServer(engine, {
    clock,
    ...options,
    env: {
      PHAROS_ROLES: 'api,sender',
      PHAROS_OPEN_SIGNUP: 'true',
      PHAROS_TRUST_PROXY: '127.0.0.1',
      ...mailEnv(smtp.port),
      ...env,
    },
  })
  const owner = await claim(server, OWNER)
  let sentinels = 0
  const installation: MailInstallation = {
    server,
    smtp,
    clock,
    owner,
    visitor: (address) => new Person(server, { 'x-forwarded-for': address }),
    async signUp(email, organizationName, address) {
      const person = installation.visitor(address)
      assert.equal((await person.post('/sign-up', { email, organizationName })).status, 200)
      const { text } = await installation.received(email, 1)
      const confirmed = await person.post('/sign-up/confirm', { token: tokenIn(linkIn(text)), password: PASSWORD })
      assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
      return person
    },
    mailsTo: (address) => smtp.mails.filter(({ to }) => to.includes(address)),
    async received(address, count) {
      await eventually(async () => assert.equal(installation.mailsTo(address).length, count, address))
      return installation.mailsTo(address)[count - 1] as Mail
    },
    async settled() {
      for (let i = 0; i < 6; i += 1) {
        sentinels += 1
        const email = `sentinel${sentinels}@example.com`
        const form = { email, organizationName: 'Sentinel' }
        await installation.visitor(`198.51.100.${sentinels}`).post('/sign-up', form)
        await installation.received(email, 1)
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await smtp[Symbol.asyncDispose]()
    },
  }
  return installation
}

/** The first link in the text of an e-mail. */
export function linkIn(text: string): string {
  return /https?:\/\/\S+/.exec(text)?.[0] as string
}

/** One installation for the tests of a suite, as `now`. */
export function useMailInstallation(engine: Engine): { readonly now: MailInstallation } {
  let installation: MailInstallation | undefined
  before(async () => {
    installation = await newMailInstallation(engine)
  })
  after(() => installation?.[Symbol.asyncDispose]())
  return {
    get now() {
      return installation as MailInstallation
    },
  }
}

/** The token of the link in the last of `count` e-mails to an address. */
export async function mailedToken(installation: MailInstallation, address: string, count = 1): Promise<string> {
  return tokenIn(linkIn((await installation.received(address, count)).text))
}

/** Makes the account one of somebody who joined when there was no mail server. */
export async function unconfirm({ running }: TestServer, email: string): Promise<void> {
  await running.database.write(() =>
    execute(q.updateTable('users').set({ email_verified_at: null }).where('email_key', '=', email)),
  )
}

/** Creates an admin of the owner's organization who accepts a mailed invitation. */
export async function joinByMail(installation: MailInstallation, email: string): Promise<Person> {
  await installation.owner.post('/invitations', { role: 'ADMIN', email })
  const person = new Person(installation.server)
  const form = { token: await mailedToken(installation, email), password: PASSWORD }
  assert.equal((await person.post('/invitations/accept', form)).status, 200)
  return person
}
