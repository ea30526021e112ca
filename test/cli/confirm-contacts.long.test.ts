import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { type SmtpServer, startSmtp } from '../support/smtp-server.ts'

forEachEngine('e-mail contacts without a mail server', (engine) => {
  const cli = new CommandLine(engine)

  test('wait until the operator confirms them', async () => {
    const added = await cli.text(
      'admin contacts add --org default --name T --channel email --set address=ops@example.com',
    )
    assert.match(added, /^Added T \(email, con_\w+\)\. Confirmation e-mail not sent: no mail server is configured/)
    const id = /con_\w+/.exec(added)?.[0] as string
    assert.match(await cli.text('admin contacts list'), /email +no mail server +never +T$/m)
    assert.match(
      await cli.text(`admin contacts show ${id}`),
      /^Address +waiting for confirmation, no alerts until then/m,
    )
    assert.match(
      await cli.refusal(`admin contacts test ${id}`),
      /is waiting for confirmation; .*"pharos admin contacts confirm con_/,
    )
    assert.equal((await cli.run('admin', 'contacts', 'resend-confirmation', id)).code, 1)
    assert.equal((await cli.json(`admin contacts confirm ${id}`)).confirmed, true)
    assert.equal((await cli.json(`admin contacts show ${id}`)).confirmed, true)
    assert.match(await cli.refusal(`admin contacts confirm ${id}`), /is already confirmed/)
  })

  test('are tested with an error that says what to set', async () => {
    const { id } = await cli.json(
      'admin contacts add --org default --name m --channel email --set address=a@example.com',
    )
    await cli.text(`admin contacts confirm ${id}`)
    const { stdout } = await cli.run('admin', 'contacts', 'test', id)
    assert.match(
      stdout,
      /No mail server is configured: set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, then restart Pharos\n$/,
    )
  })
})

forEachEngine('confirming e-mail contacts', (engine) => {
  let smtp: SmtpServer
  const env: Record<string, string> = {}
  before(async () => {
    smtp = await startSmtp()
    Object.assign(env, mailEnv(smtp.port))
  })
  after(() => smtp[Symbol.asyncDispose]())
  const cli = new CommandLine(engine, env)

  test('add and resend-confirmation mail the link, and its button confirms', async () => {
    const line = 'admin contacts add --org default --name T --channel email --set address=ops@example.com'
    assert.match(await cli.text(line), /Confirmation e-mail sent to ops@example\.com\. Alerts start after/)
    const [{ id, confirmed }] = await cli.json('admin contacts list')
    assert.equal(confirmed, false)
    assert.match(await cli.text(`admin contacts update ${id} --name U`), /The address is waiting for confirmation\n$/)
    assert.match(await cli.text(`admin contacts resend-confirmation ${id}`), /^Confirmation e-mail sent to ops@/)
    assert.equal(smtp.mails.length, 2)
    const { pathname } = new URL(/https?:\/\/\S+/.exec(smtp.mails[1]?.text ?? '')?.[0] as string)
    assert.equal((await fetch(`${cli.server.url}${pathname}`, { method: 'POST' })).status, 200)
    assert.equal((await cli.json(`admin contacts show ${id}`)).confirmed, true)
    assert.match(await cli.text(`admin contacts test ${id}`), /^Test message sent to U/)
  })
})
