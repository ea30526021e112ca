import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ChannelName, channelNames } from '../../../src/notifications/contacts/channels/index.ts'
import { languages } from '../../../src/notifications/contacts/languages/words.ts'
import { composeMessage, type Message, type Reader } from '../../../src/notifications/contacts/message.ts'
import { bodyOf } from '../../../src/notifications/contacts/message-body.ts'
import { noMarkup } from '../../../src/notifications/contacts/text.ts'
import type { Email } from '../../../src/outbound/email.ts'
import { html } from '../../attacks/hostile-texts.ts'
import { everyKind } from './every-kind.ts'
import { closePost, expectSent, FROM, send } from './send.ts'
import { startService } from './service.ts'

/**
 * Every kind of message in every channel, as it is sent, in files for people: layouts/KIND.txt. PHAROS_RECORD=yes writes them again;
 * review the difference.
 */
const folder = join(import.meta.dirname, 'layouts')

after(closePost)

const KEY = 'R0123456789abcdefghijklmnopqrstu'

const settings: Readonly<Record<Exclude<ChannelName, 'EMAIL'>, (url: string) => object>> = {
  SLACK: (webhookUrl) => ({ webhookUrl }),
  DISCORD: (webhookUrl) => ({ webhookUrl }),
  TEAMS: (webhookUrl) => ({ webhookUrl }),
  TELEGRAM: (apiUrl) => ({ apiUrl, botToken: '1:a', chatId: '1' }),
  PAGERDUTY: (apiUrl) => ({ apiUrl, routingKey: KEY }),
  OPSGENIE: (apiUrl) => ({ apiUrl, apiKey: 'x' }),
  NTFY: (server) => ({ server, topic: 'ops' }),
  GOTIFY: (server) => ({ server, token: 'x' }),
  PUSHOVER: (apiUrl) => ({ apiUrl, appToken: KEY.slice(0, 30), userKey: KEY.slice(0, 30) }),
  WEBHOOK: (url) => ({ url }),
}

const messageIn = (kind: keyof typeof everyKind, reader: Reader): Message => {
  const example = everyKind[kind] as (typeof everyKind)[string]
  const at = Math.max(...example.alerts.map((one) => one.at)) + 1_000
  return composeMessage({ resolvedThreads: [], ...example, from: FROM, reader, at })
}

/** A value with its strings as they are, so that line breaks are line breaks. */
function shown(value: unknown, depth = 0): string {
  const indent = '  '.repeat(depth)
  if (typeof value === 'string') return value.replaceAll('\n', `\n${indent}`)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, member]) => {
      const text = shown(member, depth + 1)
      const isShort = typeof member !== 'object' && !text.includes('\n')
      return `${indent}${name}:${isShort ? ` ${text}` : `\n${typeof member === 'object' ? '' : `${indent}  `}${text}`}`
    })
    .join('\n')
}

/** The text of an HTML e-mail, with the addresses of its links. */
function htmlText(source: string): string {
  const body = source.slice(source.indexOf('<body')).replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs, '$2 [$1]')
  const { text } = html(body.replace(/<\/(p|h1|div|tr|li)>/g, '$&\n'))
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n')
}

async function layoutOf(kind: string): Promise<string> {
  const message = messageIn(kind, { language: 'en', timezone: 'Europe/Berlin' })
  const parts: string[] = []
  const mails: Email[] = []
  const mail = async (sent: Email) => {
    mails.push(sent)
    return { ok: true } as const
  }
  expectSent(await send('EMAIL', { address: 'ops@example.com' }, message, { mail }))
  const [sent] = mails as [Email]
  parts.push(`EMAIL\nSubject: ${sent.subject}\n\n${sent.text.trim()}`, `EMAIL, HTML\n${htmlText(sent.html)}`)
  await using service = await startService(() => ({ status: 200, body: { ok: true, status: 1 } }))
  for (const [channel, settingsWith] of Object.entries(settings) as [ChannelName, (url: string) => object][]) {
    const before = service.received.length
    expectSent(await send(channel, settingsWith(service.url), message))
    const bodies = service.received.slice(before).map(({ body }) => shown(body))
    parts.push(`${channel}\n${bodies.join('\n--\n') || '(nothing is sent)'}`)
  }
  return `${parts.join(`\n\n${'='.repeat(80)}\n`)}\n`
}

function expectRecorded(file: string, text: string): void {
  const path = join(folder, file)
  if (process.env.PHAROS_RECORD === 'yes') {
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, text)
  }
  assert.ok(existsSync(path), `${file} is missing: PHAROS_RECORD=yes writes it`)
  assert.equal(text, readFileSync(path, 'utf8'))
}

test('the table has every channel', () => {
  assert.deepEqual([...Object.keys(settings), 'EMAIL'].sort(), [...channelNames].sort())
})

for (const kind of Object.keys(everyKind)) {
  test(`the layout of "${kind}" in every channel is the recorded one`, async () => {
    expectRecorded(`${kind}.txt`, await layoutOf(kind))
  })
}

for (const language of languages.filter((one) => one !== 'en')) {
  test(`the texts of every kind in "${language}" are the recorded ones`, () => {
    const texts = Object.keys(everyKind).map((kind) => {
      const message = messageIn(kind, { language, timezone: 'Europe/Berlin' })
      const { lines, notes = [] } = bodyOf(message, noMarkup)
      return [`[${message.word}] ${message.title}`, '', ...lines, ...notes].join('\n')
    })
    expectRecorded(`language-${language}.txt`, `${texts.join(`\n\n${'='.repeat(80)}\n`)}\n`)
  })
}
