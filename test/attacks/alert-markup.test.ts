import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { MINUTE_MS } from '../../src/lib/clock.ts'
import { oneLine } from '../../src/lib/text.ts'
import { type ChannelName, channelNames } from '../../src/notifications/contacts/channels/index.ts'
import { composeMessage, type Message, testMessage } from '../../src/notifications/contacts/message.ts'
import { renderNote } from '../../src/notifications/contacts/render-note.ts'
import { createEmailSender } from '../../src/outbound/email.ts'
import { AT, alert, closePost, expectSent, FROM, READER, send } from '../notifications/contacts/send.ts'
import { type Received, startService } from '../notifications/contacts/service.ts'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { HandClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { listen } from '../support/listener.ts'
import { createMonitor, smallest } from '../support/monitors.ts'
import { claim, OWNER } from '../support/person.ts'
import { words } from '../support/reasons.ts'
import { bodyOf, startTestServer } from '../support/server.ts'
import { type Mail, startSmtp } from '../support/smtp-server.ts'
import {
  CONTROLS,
  hostileTexts,
  html,
  joined,
  type Rendered,
  slackText,
  split,
  squash,
  stringsIn,
} from './hostile-texts.ts'

after(closePost)

/** Where monitored sites and tenants can write something into a message. */
const fields = ['subject', 'reason', 'target', 'evidence', 'runbook', 'note', 'organization'] as const

/** The text begins the field, because some markup counts only there. */
const textIn = (field: (typeof fields)[number], text: string) => `${text} ${field}`

function alertWith(text: string) {
  return alert({
    id: 'alr_hostile',
    monitorId: 'mon_hostile',
    incidentId: 'inc_hostile',
    subject: textIn('subject', text),
    reason: words(textIn('reason', text)),
    target: textIn('target', text),
    summary: [words(textIn('evidence', text)), words('Nothing else changed.')],
    notes: { runbookUrl: textIn('runbook', text), text: textIn('note', text) },
  })
}

const other = alert({ subject: 'Other', reason: null, target: null })

/** Of every layout, with the fields that it shows. */
const messages: Readonly<
  Record<string, { readonly of: (text: string) => Message; readonly shows: readonly (typeof fields)[number][] }>
> = {
  'a single alert': { of: (text) => composed([alertWith(text)], text), shows: fields.slice(0, -1) },
  'a list of alerts': {
    of: (text) => composed([alertWith(text), other], text),
    shows: fields.slice(0, -1).filter((field) => field !== 'target'),
  },
  'a test alert': {
    of: (text) => testMessage({ name: text, channel: 'EMAIL' }, sourceWith(text), READER, 'ntc_t', AT),
    shows: ['organization'],
  },
}

const sourceWith = (text: string) => ({ ...FROM, organization: textIn('organization', text) })

function composed(alerts: readonly ReturnType<typeof alert>[], text: string): Message {
  return composeMessage({
    alerts,
    ongoing: [],
    resolvedThreads: ['ntc_0'],
    from: sourceWith(text),
    reader: READER,
    at: AT,
  })
}

/** A backslash takes the meaning of the character after it. */
function discordText(source: string): Rendered {
  let text = ''
  const live: string[] = []
  for (let i = 0; i < source.length; i += 1) {
    const [character = '', next = ''] = [source[i], source[i + 1]]
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(next)) text += source[++i]
    else if (/[*_~`|>#[\]()<@\\]/.test(character)) live.push(character)
    else text += character
  }
  return { text, live }
}

/** A body whose texts the service shows as they are. What else the body has decides that they are not markup. */
const plain =
  (...names: readonly string[]) =>
  (body: Received['body']): Rendered => ({
    text: names.map((name) => body[name] ?? '').join('\n'),
    live: [JSON.stringify({ ...body, ...Object.fromEntries(names.map((name) => [name, ''])) })],
  })

interface Service {
  readonly settings: (url: string) => object
  readonly render: (body: Received['body']) => Rendered
}

const KEY = 'R0123456789abcdefghijklmnopqrstu'

const services: Readonly<Record<Exclude<ChannelName, 'EMAIL'>, Service>> = {
  SLACK: {
    settings: (webhookUrl) => ({ webhookUrl }),
    render: ({ text, blocks }) => {
      const texts = blocks.flatMap(({ text: own, elements = [own] }: { text: object; elements?: object[] }) => elements)
      const shown: Rendered[] = texts.map((each: { type: string; text: string }) => slackText(each.text))
      const marked = texts.filter(({ type }: { type: string }) => type !== 'plain_text')
      return joined([slackText(text), ...shown, { text: '', live: marked.map((each: object) => JSON.stringify(each)) }])
    },
  },
  DISCORD: {
    settings: (webhookUrl) => ({ webhookUrl }),
    render: ({ content, embeds: [{ description, ...embed }], ...rest }) =>
      joined([
        discordText(content),
        discordText(description),
        { text: '', live: [JSON.stringify(embed), JSON.stringify(rest)] },
      ]),
  },
  TEAMS: {
    settings: (webhookUrl) => ({ webhookUrl }),
    render: ({ summary, attachments: [{ content }] }) => {
      const runs = content.body.flatMap(({ inlines }: { inlines: object[] }) => inlines)
      const texts = [summary, ...runs.map(({ text }: { text: string }) => text)]
      const frame = JSON.stringify(content, (key, value) => (key === 'text' ? '' : value))
      return joined([...texts.map((text) => split(text, /\{\{.*?\}\}/g)), { text: '', live: [frame] }])
    },
  },
  TELEGRAM: {
    settings: (apiUrl) => ({ apiUrl, botToken: '1:a', chatId: '1' }),
    render: ({ text, ...rest }) => {
      const parsed = html(text)
      return joined([split(parsed.text, /@\w+/g), { text: '', live: [...parsed.live, JSON.stringify(rest)] }])
    },
  },
  PAGERDUTY: {
    settings: (apiUrl) => ({ apiUrl, routingKey: KEY }),
    render: ({ payload: { summary, custom_details: details, ...payload } = {}, links = [], ...rest }) => ({
      text: [summary, ...(details?.alerts ?? []), ...links.map(({ text }: { text: string }) => text)].join('\n'),
      live: [JSON.stringify([payload, rest, links.map(({ href }: { href: string }) => href)])],
    }),
  },
  OPSGENIE: {
    settings: (apiUrl) => ({ apiUrl, apiKey: 'x' }),
    // Its documentation: "HTML formatting for the message values is also supported".
    render: ({ message = '', description = '', note = '', ...rest }) =>
      joined([
        ...[message, description, note].map((text) => split(text, /<[a-z/!?][^>]*>?/gi)),
        { text: '', live: [JSON.stringify(rest)] },
      ]),
  },
  NTFY: { settings: (server) => ({ server, topic: 'ops' }), render: plain('title', 'message') },
  GOTIFY: { settings: (server) => ({ server, token: 'x' }), render: plain('title', 'message') },
  PUSHOVER: {
    settings: (apiUrl) => ({ apiUrl, appToken: KEY.slice(0, 30), userKey: KEY.slice(0, 30) }),
    render: plain('title', 'message'),
  },
  WEBHOOK: {
    settings: (url) => ({ url }),
    render: (body) => ({ text: stringsIn(body).join('\n'), live: [] }),
  },
}

type SendMessage = (message: Message) => Promise<{ readonly rendered: Rendered; readonly sent: readonly string[] }>

/** Nothing but the text differs between a message with harmless texts and one with hostile ones, and the text is all there. */
async function expectInert(sendMessage: SendMessage): Promise<void> {
  for (const [name, { of, shows }] of Object.entries(messages)) {
    const harmless = await sendMessage(of('harmless'))
    for (const text of hostileTexts) {
      const { rendered, sent } = await sendMessage(of(text))
      const what = `${name} with ${JSON.stringify(text)}`
      for (const each of sent) assert.doesNotMatch(each, CONTROLS, what)
      const shown = squash(rendered.text)
      for (const field of shows) {
        const source = textIn(field, text)
        // A member writes notes in Markdown.
        const expected = squash(field === 'note' ? renderNote(source).lines.join(' ') : oneLine(source))
        assert.ok(shown.includes(expected), `${what}: ${expected} is not shown as it is in ${rendered.text}`)
      }
      assert.deepEqual(rendered.live, harmless.rendered.live, what)
    }
  }
}

describe('texts of monitored sites and of tenants are plain text in alerts', () => {
  test('the table has every channel', () => {
    assert.deepEqual([...Object.keys(services), 'EMAIL'].sort(), [...channelNames].sort())
  })

  for (const [channel, { settings, render }] of Object.entries(services) as [ChannelName, Service][]) {
    test(channel, async () => {
      await using service = await startService(() => ({ status: 200, body: { ok: true, status: 1 } }))
      await expectInert(async (message) => {
        const before = service.received.length
        expectSent(await send(channel, settings(service.url), message))
        const bodies = service.received.slice(before).map(({ body }) => body)
        assert.ok(bodies.length > 0)
        return { rendered: joined(bodies.map(render)), sent: bodies.flatMap(stringsIn) }
      })
    })
  }

  test('EMAIL, in HTML, in text and in the subject', async () => {
    await using smtp = await startSmtp()
    const { PHAROS_SMTP_URL: url, PHAROS_MAIL_FROM: from } = mailEnv(smtp.port)
    const mail = createEmailSender({ url, from })
    const partOf = (part: (mail: Mail) => Rendered) =>
      expectInert(async (message) => {
        expectSent(await send('EMAIL', { address: 'ops@example.com' }, message, { mail }))
        const sent = smtp.mails.at(-1) as Mail
        const headers = Object.values(sent.headers).flatMap((values) => values ?? [])
        return {
          rendered: part(sent),
          sent: [...headers, sent.text.replaceAll('\r\n', '\n'), sent.html.replaceAll('\r\n', '\n')],
        }
      })
    await partOf((sent) => html(withoutMarkdown(sent.html)))
    await partOf(({ text, headers }) => ({ text, live: Object.keys(headers) }))
  })
})

/** What Markdown may become: no attributes but the address of a link, which is http(s) or mailto. */
function withoutMarkdown(source: string): string {
  return source
    .replace(
      /<a href="((?:https?:\/\/|mailto:)[^"]*)" rel="nofollow noopener noreferrer">(.*?)<\/a>/g,
      (_, href, text) => (/^https?:|@/.test(text) ? text : `${text} (${href})`),
    )
    .replace(/<li>/g, '• ')
    .replace(/<\/?(p|ul|ol|li|em|strong|code|pre|br|hr|s|blockquote|h[2-6])>/g, '')
}

test('a monitored site that writes a link into its Location header writes text into the e-mail about two of its monitors', async () => {
  const link = '<a href=//evil.example/signin>Your Pharos session ended: sign in</a>'
  const site = { isDown: false }
  const web = createServer((_request, response) =>
    site.isDown ? response.writeHead(500, { location: link }).end() : response.end('Welcome'),
  )
  await using target = await listen(web)
  await using smtp = await startSmtp()
  const clock = new HandClock()
  const env = { ...mailEnv(smtp.port), PHAROS_CONFIRM_DELAYS: '' }
  await using server = await startTestServer('sqlite', { clock, env })
  await claim(server, OWNER)
  const client = server.client()
  bodyOf(await client.post('/contacts', { name: 'Ops', channel: 'EMAIL', settings: { address: OWNER } }), 201)
  const url = `http://127.0.0.1:${target.port}/`
  const ids: string[] = []
  for (const path of ['shop', 'blog']) ids.push((await createMonitor(client, smallest('HTTP', { url: url + path }))).id)
  const check = async () => {
    for (const id of ids) bodyOf(await client.post(`/monitors/${id}/check`, {}))
  }
  for (let i = 0; i < 5; i += 1) await check()
  site.isDown = true
  await check()
  clock.advance(MINUTE_MS)
  await eventually(async () => assert.equal(smtp.mails.length, 1))
  const [mail] = smtp.mails as [Mail]
  const { text, live } = html(mail.html)
  assert.ok(text.includes(`Location header changed from none to "${link}".`), text)
  assert.doesNotMatch(live.join('\n'), /evil/)
  assert.equal([...mail.html.matchAll(/evil\.example/g)].length, 2, 'once for each monitor')
})
