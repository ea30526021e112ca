import assert from 'node:assert/strict'
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
    ...{ clock, ...options },
    env: {
      ...{ PHAROS_ROLES: 'api', PHAROS_OPEN_SIGNUP: 'true', PHAROS_TRUST_PROXY: '127.0.0.1' },
      ...{ ...mailEnv(smtp.port), ...env },
    },
  })
  const owner = await claim(server, OWNER)
  let sentinels = 0
  const installation: MailInstallation = {
    ...{ server, smtp, clock, owner },
    visitor: (address) => new Person(server, { 'x-forwarded-for': address }),
    async signUp(email, organizationName, address) {
      const person = installation.visitor(address)
      assert.equal((await person.post('/sign-up', { email, password: PASSWORD, organizationName })).status, 200)
      const { text } = await installation.received(email, 1)
      const confirmed = await person.post('/sign-up/confirm', { token: tokenIn(linkIn(text)) })
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
        const form = { email, password: PASSWORD, organizationName: 'Sentinel' }
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
