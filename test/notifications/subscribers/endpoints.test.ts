import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { type ApiObject, fetchPage, publishIncident } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startReceiver } from '../../support/receiver.ts'
import { at, linkIn, type MailingTest, newMailingTest } from './mailing.ts'

const open = { PHAROS_PRIVATE_SUBSCRIBERS: 'allow' }

function post({ server }: MailingTest, page: ApiObject, kind: 'slack' | 'webhook', url: string) {
  return fetchPage(`${server.url}/status/${page.slug}/subscribe`, { form: { kind, url } })
}

async function confirmLast(stage: MailingTest, text: string): Promise<void> {
  assert.equal((await fetchPage(at(stage.server, linkIn(text, 'confirm')), { method: 'POST' })).status, 200)
}

forEachEngine('subscribers with endpoints', (engine) => {
  test('a webhook gets nothing but a confirmation until its link is followed, then JSON, until it unsubscribes', async () => {
    await using stage = await newMailingTest(engine, { ...open, PHAROS_SMTP_URL: '', PHAROS_MAIL_FROM: '' })
    await using receiver = await startReceiver()
    const page = await stage.page({ name: 'Acme <Söhne>' })
    const monitorId = page.sections[0].monitors[0].monitorId
    const { status, text } = await post(stage, page, 'webhook', `${receiver.url}?token=s3cret-token-abcd#x`)
    assert.equal(status, 200)
    assert.match(text, /sent it a message with a confirmation link/)
    const { event: asked, headers } = await receiver.message(1)
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual([asked.type, asked.page], ['confirmation', { id: page.id, name: 'Acme <Söhne>', url: page.url }])
    await publishIncident(stage.client, page.id, { title: 'Before' })
    await stage.idle()
    assert.equal(receiver.messages.length, 1)

    await confirmLast(stage, asked.confirmUrl)
    const incident = await publishIncident(stage.client, page.id, {
      title: 'Orders fail',
      message: 'Looking.',
      impact: 'MAJOR',
      affectedMonitors: [{ monitorId, status: 'MAJOR_OUTAGE' }],
    })
    const { event } = await receiver.message(2)
    const { id, createdAt, unsubscribeUrl, update, ...rest } = event
    assert.match(id, /^ntc_.*\.sub_/)
    assert.equal(new Date(createdAt).getTime(), stage.clock.now())
    assert.equal(update.message, 'Looking.')
    assert.deepEqual(rest, {
      page: { id: page.id, name: 'Acme <Söhne>', url: page.url },
      type: 'incident',
      state: 'INVESTIGATING',
      incident: {
        id: incident.id,
        title: 'Orders fail',
        impact: 'MAJOR',
        startedAt: incident.startedAt,
        resolvedAt: null,
        affected: ['Website'],
        postmortem: null,
      },
      text: '[Acme <Söhne>] Investigating: Orders fail',
      link: `${page.url}/incidents/${incident.id}`,
    })
    const now = stage.clock.now()
    const window = { name: 'Upgrade', description: 'Faster.', monitorIds: [monitorId] }
    const times = { startsAt: new Date(now + HOUR_MS).toISOString(), endsAt: new Date(now + 2 * HOUR_MS).toISOString() }
    await stage.client.post('/maintenance-windows', { ...window, ...times })
    const { event: planned } = await receiver.message(3)
    assert.deepEqual([planned.type, planned.state], ['maintenance', 'SCHEDULED'])
    assert.deepEqual([planned.maintenance.name, planned.maintenance.startsAt], ['Upgrade', times.startsAt])

    await fetchPage(at(stage.server, unsubscribeUrl), { method: 'POST' })
    assert.deepEqual(await stage.subscribers(), [])
    await publishIncident(stage.client, page.id)
    await stage.idle()
    assert.equal(receiver.messages.length, 3)
  })

  test('the URL is stored encrypted, with a label that shows host and last characters', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page()
    await post(stage, page, 'webhook', `${receiver.url}?token=s3cret-token-abcd`)
    await receiver.message(1)
    const [row] = await stage.subscribers()
    assert.equal(row?.label, `${new URL(receiver.url).origin}/…abcd`)
    assert.equal(row?.kind, 'WEBHOOK')
    assert.doesNotMatch(JSON.stringify(row), /s3cret/)
    await post(stage, page, 'webhook', `${receiver.url}?token=s3cret-token-abcd`)
    assert.equal((await stage.subscribers()).length, 1, 'the same URL is found again')
  })

  test('Slack gets escaped text in blocks with links', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page({ name: 'Acme' })
    await post(stage, page, 'slack', receiver.url)
    await confirmLast(stage, (await receiver.message(1)).raw.replaceAll('|', ' '))
    await publishIncident(stage.client, page.id, {
      title: '<!channel> & co',
      message: 'See <https://evil.example|us> @here',
    })
    const { event, raw } = await receiver.message(2)
    assert.equal(event.blocks[0].text.text, 'Investigating: &lt;!channel&gt; &amp; co')
    assert.equal(event.blocks[0].text.type, 'plain_text')
    assert.doesNotMatch(raw, /<!channel>|<https:\/\/evil/)
    assert.match(event.blocks.at(-1).elements[0].text, /^<http:\S+\|View incident> · <http:\S+\|Unsubscribe>$/)
    assert.ok(event.text.startsWith('[Acme] Investigating'))
  })
})

forEachEngine('URLs of endpoints', (engine) => {
  test('URLs that the address policy forbids, and Slack URLs elsewhere, are refused with the form', async () => {
    // What members may reach is not for visitors.
    await using stage = await newMailingTest(engine, { PHAROS_PRIVATE_WEBHOOKS: 'allow' })
    const page = await stage.page()
    const refused: [kind: 'slack' | 'webhook', url: string][] = [
      ['webhook', 'http://example.com/hook'],
      ['webhook', 'https://127.0.0.1/hook'],
      ['webhook', 'https://169.254.169.254/latest'],
      ['webhook', 'https://metadata.internal/'],
      ['webhook', 'https://user:pw@example.com/'],
      ['webhook', 'javascript:alert(1)'],
      ['webhook', `https://example.com/${'x'.repeat(1000)}`],
      ['slack', 'https://example.com/services/T0/B0/x'],
      ['slack', 'https://hooks.slack.com.evil.example/services/x'],
      ['slack', '"><script>alert(1)</script>'],
    ]
    for (const [kind, url] of refused) {
      const { status, text } = await post(stage, page, kind, url)
      assert.equal(status, 400, url)
      assert.match(text, /role="alert" id="complaint">Enter/)
      assert.doesNotMatch(text, /<script/)
    }
    assert.deepEqual(await stage.subscribers(), [])
    assert.equal((await post(stage, page, 'webhook', 'https://hooks.slack.com/services/T0/B0/zzzz?x=1')).status, 200)
    assert.deepEqual(
      (await stage.subscribers()).map(({ kind, label }) => [kind, label]),
      [['SLACK', 'https://hooks.slack.com/…zzzz']],
    )
  })
})

forEachEngine('limits and failures of endpoints', (engine) => {
  test('a URL gets at most three confirmations a day, and a client may send twenty forms an hour', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page()
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await post(stage, page, 'webhook', receiver.url)).status, 200)
      await stage.idle()
    }
    assert.equal(receiver.messages.length, 3)
    for (let i = 0; i < 15; i += 1) await post(stage, page, 'webhook', `${receiver.url}?${i}`)
    assert.equal((await post(stage, page, 'webhook', `${receiver.url}?x`)).status, 429, 'the limit of the client')
    await stage.idle()
    assert.equal(receiver.messages.length, 18)
  })

  test('an endpoint that is gone is removed, and a 404 of a webhook only the third time', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page()
    const subscribeBy = async (kind: 'slack' | 'webhook', url: string) => {
      const before = receiver.messages.length
      receiver.status = 200
      await post(stage, page, kind, url)
      await confirmLast(stage, (await receiver.message(before + 1)).raw.replaceAll('|', ' '))
    }
    await subscribeBy('slack', receiver.url)
    await subscribeBy('webhook', `${receiver.url}/a`)
    receiver.status = 404
    await publishIncident(stage.client, page.id)
    await stage.quiet()
    assert.deepEqual(
      (await stage.subscribers()).map(({ kind, rejections }) => [kind, rejections]),
      [['WEBHOOK', 1]],
    )
    for (let i = 0; i < 2; i += 1) {
      await publishIncident(stage.client, page.id)
      await stage.quiet()
    }
    assert.deepEqual(await stage.subscribers(), [])
    await subscribeBy('webhook', `${receiver.url}/b`)
    receiver.status = 410
    await publishIncident(stage.client, page.id)
    await eventually(async () => assert.deepEqual(await stage.subscribers(), []))
  })

  test('a failing endpoint is retried, and removed after a week of failures; a success resets it', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page()
    await post(stage, page, 'webhook', receiver.url)
    await confirmLast(stage, (await receiver.message(1)).raw)
    receiver.status = 500
    await publishIncident(stage.client, page.id)
    await receiver.message(2)
    await eventually(async () => {
      const [row] = await stage.subscribers()
      assert.deepEqual([row?.failing_since, row?.last_error], [stage.clock.now(), 'The endpoint returned HTTP 500'])
    })
    receiver.status = 200
    stage.clock.advance(2 * 60_000)
    await receiver.message(3)
    await eventually(async () => assert.equal((await stage.subscribers())[0]?.failing_since, null))
    assert.equal(receiver.messages[2]?.event.id, receiver.messages[1]?.event.id, 'a retry has the same id')

    receiver.status = 500
    await publishIncident(stage.client, page.id)
    await eventually(async () => assert.notEqual((await stage.subscribers())[0]?.failing_since, null))
    stage.clock.advance(8 * DAY_MS)
    await stage.quiet()
    assert.equal((await stage.subscribers()).length, 1)
    await publishIncident(stage.client, page.id)
    await eventually(async () => assert.deepEqual(await stage.subscribers(), []))
  })

  test('a mail server that is down does not delay webhooks', async () => {
    await using stage = await newMailingTest(engine, open)
    await using receiver = await startReceiver()
    const page = await stage.page()
    await stage.fill(page, ['ann@example.com'])
    await post(stage, page, 'webhook', receiver.url)
    await confirmLast(stage, (await receiver.message(1)).raw)
    stage.smtp.isDown = true
    await publishIncident(stage.client, page.id)
    await receiver.message(2)
    assert.ok((await stage.deliveries()).some(({ medium }) => medium === 'EMAIL'))
    assert.equal(stage.smtp.mails.length, 0)
  })
})
