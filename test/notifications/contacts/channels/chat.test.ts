import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ChannelName } from '../../../../src/notifications/contacts/channels/index.ts'
import { words } from '../../../support/reasons.ts'
import { alert, closePost, expectSent, hostileNames, hostileNotes, messageOf, send, storm } from '../send.ts'
import { expectFields, expectJson, expectText, type Received, type Reply, startService } from '../service.ts'

after(closePost)

/** The documented rules of Slack's incoming webhooks and Block Kit. */
function slack(request: Received): Reply {
  expectJson(request)
  expectFields(request.body, ['text', 'blocks', 'unfurl_links', 'unfurl_media'])
  expectText(request.body.text, 40_000)
  assert.ok(request.body.blocks.length <= 50)
  for (const block of request.body.blocks) {
    const texts = block.type === 'context' ? block.elements : [block.text]
    const most = block.type === 'header' ? 150 : 3000
    for (const text of texts) {
      assert.ok(['plain_text', 'mrkdwn'].includes(text.type))
      assert.ok(block.type !== 'header' || text.type === 'plain_text')
      expectText(text.text, most)
      // The three special characters are entities everywhere but in our own link.
      const rest = text.text
        .replace(/^<https:\/\/pharos\.example\.com\/[\w/]*\|Open(?: in Pharos)?>$/, '')
        .replace(/^<https:\/\/[^<>|]*\|Runbook>$/, '')
      assert.doesNotMatch(rest.replace(/&(amp|lt|gt);/g, ''), /[<>&]/)
    }
  }
  return { status: 200, body: 'ok' }
}

/** The documented rules of Discord for executing a webhook. */
function discord(request: Received): Reply {
  expectJson(request)
  expectFields(request.body, ['content', 'embeds', 'allowed_mentions'])
  expectText(request.body.content, 2000)
  assert.deepEqual(request.body.allowed_mentions, { parse: [] })
  assert.ok(request.body.embeds.length <= 10)
  let total = 0
  for (const embed of request.body.embeds) {
    expectFields(embed, ['title', 'url', 'description', 'color', 'timestamp'])
    expectText(embed.title, 256)
    expectText(embed.description, 4096)
    assert.ok(Number.isInteger(embed.color) && embed.color >= 0 && embed.color <= 0xffffff)
    assert.ok(!Number.isNaN(Date.parse(embed.timestamp)))
    new URL(embed.url)
    total += embed.title.length + embed.description.length
    // Without escaped characters and our own bold, no Markdown and no mention is left.
    const plain = embed.description
      .replace(/\\[^A-Za-z0-9\s]/g, '')
      .replace(/\[Runbook\]\(https:\/\/[^()\s]*\)/g, '')
      .replace(/\*\*\[([^[\]]*)\]\(https:\/\/pharos\.example\.com\/[\w/]*\)\*\*/g, '$1')
    assert.doesNotMatch(plain, /[*_~`|[\]<>@]/)
  }
  assert.ok(total <= 6000)
  return { status: 204 }
}

/** A Teams workflow accepts a message with one Adaptive Card. */
function teams(request: Received): Reply {
  expectJson(request)
  assert.ok(request.bytes <= 28 * 1024, `${request.bytes} bytes`)
  assert.equal(request.body.type, 'message')
  const [{ contentType, contentUrl, content }, ...more] = request.body.attachments
  assert.deepEqual([contentType, contentUrl, more], ['application/vnd.microsoft.card.adaptive', null, []])
  assert.equal(content.type, 'AdaptiveCard')
  assert.match(content.version, /^1\.[0-5]$/)
  for (const block of content.body) {
    // A TextBlock would interpret Markdown; the runs of a RichTextBlock do not.
    assert.equal(block.type, 'RichTextBlock')
    for (const run of block.inlines) {
      assert.equal(run.type, 'TextRun')
      expectText(run.text, 10_000)
      assert.doesNotMatch(run.text, /\{\{/)
    }
  }
  assert.equal(content.msteams.entities, undefined, 'nobody is mentioned')
  for (const action of content.actions) assert.equal(action.type, 'Action.OpenUrl')
  return { status: 202 }
}

/** The documented rules of Telegram's sendMessage in HTML mode. */
function telegram(request: Received): Reply {
  expectJson(request)
  if (request.path !== '/bot123456:ABC-def/sendMessage') {
    return { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } }
  }
  expectFields(request.body, ['chat_id', 'message_thread_id', 'text', 'parse_mode', 'link_preview_options'])
  assert.equal(request.body.parse_mode, 'HTML')
  const { text } = request.body
  const plain = text.replace(/<\/?b>|<a href="[^"<>]*">|<\/a>/g, '').replace(/&(amp|lt|gt|quot);/g, '_')
  expectText(plain, 4096)
  assert.doesNotMatch(plain, /[<>&"]/, 'markup that is not ours')
  assert.equal([...text.matchAll(/<b>/g)].length, [...text.matchAll(/<\/b>/g)].length)
  assert.doesNotMatch(plain, /@\w/, 'a mention')
  return { status: 200, body: { ok: true, result: { message_id: 1 } } }
}

interface Case {
  readonly channel: ChannelName
  readonly judge: (request: Received) => Reply
  readonly settings: (url: string) => object
  readonly textOf: (body: Received['body']) => string
  readonly refusal: Reply
  readonly complaint: string
  readonly tooMany: Reply
}

const chats: readonly Case[] = [
  {
    channel: 'SLACK',
    judge: slack,
    settings: (url) => ({ webhookUrl: `${url}/services/T0/B0/secret` }),
    textOf: ({ blocks }) =>
      blocks
        .flatMap(({ text, elements = [text] }: { text: object; elements?: object[] }) => elements)
        .map(({ text }: { text: string }) => text)
        .join('\n'),
    refusal: { status: 404, body: 'no_service' },
    complaint: 'Slack returned HTTP 404: no_service',
    tooMany: { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' },
  },
  {
    channel: 'DISCORD',
    judge: discord,
    settings: (url) => ({ webhookUrl: `${url}/api/webhooks/1/secret` }),
    textOf: ({ content, embeds }) => `${content}\n${embeds[0].description}`.replaceAll('\\', ''),
    refusal: { status: 404, body: { message: 'Unknown Webhook', code: 10015 } },
    complaint: 'Discord returned HTTP 404: Unknown Webhook',
    tooMany: { status: 429, body: { message: 'You are being rate limited.', retry_after: 29.5, global: false } },
  },
  {
    channel: 'TEAMS',
    judge: teams,
    settings: (url) => ({ webhookUrl: `${url}/workflows/secret/triggers/manual/paths/invoke?sig=x` }),
    textOf: ({ attachments }) =>
      JSON.stringify(attachments[0].content.body.flatMap((block: { inlines: object[] }) => block.inlines)),
    refusal: { status: 404, body: { error: { code: 'WorkflowNotFound', message: 'The workflow was not found.' } } },
    complaint: 'Microsoft Teams returned HTTP 404: WorkflowNotFound, The workflow was not found.',
    tooMany: { status: 429, headers: { 'retry-after': '30' } },
  },
  {
    channel: 'TELEGRAM',
    judge: telegram,
    settings: (url) => ({ botToken: '123456:ABC-def', chatId: '-1001234', apiUrl: url }),
    textOf: ({ text }) => text,
    refusal: { status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' } },
    complaint: 'Telegram returned HTTP 400: Bad Request: chat not found',
    tooMany: {
      status: 429,
      body: {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 30',
        parameters: { retry_after: 30 },
      },
    },
  },
]

for (const { channel, judge, settings, textOf, refusal, complaint, tooMany } of chats) {
  test(`${channel}: an outage arrives with name, reason and target`, async () => {
    await using service = await startService(judge)
    expectSent(await send(channel, settings(service.url), messageOf([alert()])))
    const text = textOf(service.received[0]?.body)
    for (const part of [
      'Checkout is down',
      'HTTP 503 Service Unavailable',
      'shop.example.com/checkout',
      'Since 2:02:11 PM UTC',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`)
    }
    assert.match(JSON.stringify(service.received[0]?.body), /https:\/\/pharos\.example\.com\/o\/org_1\/incidents\/inc_/)
  })

  test(`${channel}: what a tenant wrote is text and nothing else`, async () => {
    await using service = await startService(judge)
    for (const subject of hostileNames) {
      expectSent(
        await send(
          channel,
          settings(service.url),
          messageOf([alert({ subject, reason: words(subject), target: subject, notes: hostileNotes })]),
        ),
      )
    }
    expectSent(await send(channel, settings(service.url), messageOf(hostileNames.map((subject) => alert({ subject })))))
    assert.equal(service.received.length, hostileNames.length + 1)
  })

  test(`${channel}: a list that is too long is cut, and says how many alerts are left out`, async () => {
    await using service = await startService(judge)
    expectSent(await send(channel, settings(service.url), messageOf(storm())))
    const text = textOf(service.received[0]?.body)
    const [, missing] = /(?:^|"|\n)… and (\d+) more(?:$|"|\n)/.exec(text) ?? []
    const shown = [...text.matchAll(/is down/g)].length
    assert.ok(shown > 0)
    assert.equal(shown + Number(missing), 400)
  })

  test(`${channel}: a refusal is reported in the service's own words`, async () => {
    await using service = await startService(judge)
    service.replies.push(refusal)
    const sent = await send(channel, settings(service.url), messageOf([alert()]))
    assert.deepEqual(sent, { ok: false, error: complaint, retryAfterMs: null })
  })

  test(`${channel}: how long it wants to be left alone is heard`, async () => {
    await using service = await startService(judge)
    service.replies.push(tooMany)
    const sent = await send(channel, settings(service.url), messageOf([alert()]))
    assert.ok(!sent.ok)
    assert.ok(sent.retryAfterMs === 30_000 || sent.retryAfterMs === 29_500, `${sent.retryAfterMs}`)
  })

  test(`${channel}: a page of HTML and a redirect are failures in plain words`, async () => {
    await using service = await startService(judge)
    service.replies.push({ status: 502, body: '<html><body>Bad gateway</body></html>' })
    service.replies.push({ status: 302, headers: { location: 'https://example.com/' } })
    const [first, second] = [
      await send(channel, settings(service.url), messageOf([alert()])),
      await send(channel, settings(service.url), messageOf([alert()])),
    ]
    assert.match(first.ok ? '' : first.error, / returned HTTP 502$/)
    assert.match(second.ok ? '' : second.error, / returned HTTP 302: redirects are not followed$/)
    assert.equal(service.received.length, 2)
  })
}
