import assert from 'node:assert/strict'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import type { ChannelResult } from '../../../src/notifications/contacts/channels/channel.ts'
import { type ChannelName, channels } from '../../../src/notifications/contacts/channels/index.ts'
import type { Flapping } from '../../../src/notifications/contacts/flapping.ts'
import { composeMessage, type Message } from '../../../src/notifications/contacts/message.ts'
import { checkSettings } from '../../../src/notifications/contacts/settings.ts'
import type { Alert, PendingAlert } from '../../../src/notifications/contacts/types.ts'
import type { SendEmail } from '../../../src/outbound/email.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import { createHttpSender } from '../../../src/outbound/http-sender.ts'
import { words } from '../../support/reasons.ts'

export const AT = Date.UTC(2027, 0, 31, 14, 2, 11)

export const FROM = { organization: 'Acme', dashboardUrl: 'https://pharos.example.com/o/org_1' }

export const READER = { language: 'en', timezone: 'UTC' }

let count = 0

export function alert(fields: Partial<Alert> = {}): Alert {
  count += 1
  return {
    id: `alr_${count}`,
    kind: 'opened',
    monitorId: `mon_${count}`,
    incidentId: `inc_${count}`,
    subject: 'Checkout',
    target: 'https://shop.example.com/checkout',
    reason: words('HTTP 503 Service Unavailable (expected 2xx or 3xx)'),
    at: AT,
    beganAt: null,
    endedAt: null,
    messageId: 'ntc_1',
    ...fields,
  }
}

/** An alert that was not part of a message yet. */
export function pendingAlert(fields: Partial<PendingAlert> = {}): PendingAlert {
  const made = alert({ messageId: '', ...fields })
  return { num: count, dueAt: made.at, attempts: 0, ...made, ...fields }
}

/** A monitor that went down six times, and that the contact got a message about two minutes ago. */
export const flapping = (fields: Partial<Flapping> = {}): Flapping => ({
  monitorId: 'mon_f',
  outages: 6,
  degradations: 0,
  since: AT - 20 * MINUTE_MS,
  until: AT,
  lastMessageAt: AT - 2 * MINUTE_MS,
  ...fields,
})

/** Includes threads, which only channels that track incidents use. */
export function messageOf(alerts: readonly Alert[], over: readonly string[] = []): Message {
  return composeMessage({ alerts, ongoing: [], resolvedThreads: over, from: FROM, reader: READER, at: AT })
}

/** Names with markup, mentions and control characters. */
export const hostileNames = [
  '<!channel> <@U024BE7LH> <https://evil.example|click> &amp; & <b>',
  '@everyone @here <@&123> <#1> ||spoiler|| **bold** [click](https://evil.example) `code`',
  '<at>Everyone</at> {{DATE(2027-01-31T00:00:00Z,SHORT)}} [x](javascript:alert(1))',
  '</b><a href="https://evil.example">x</a> @channelname /start',
  'first line\r\nBcc: victim@example.com\n\nsecond\u2028third\u0000\u0007',
  'x'.repeat(120),
  `${'a'.repeat(119)}👩‍👩‍👧‍👦`,
  '\u202egnorw si siht\u202c',
  '👩🏽‍🚒'.repeat(17),
] as const

/** Longer than most channels permit. */
export const hostileNotes = {
  runbookUrl: `https://wiki.example/${'&<>@_*'.repeat(160)}`,
  text: [...hostileNames, '&<>'.repeat(400), 'Call Ada'.repeat(200)].join('\n'),
}

/** More alerts than any channel can show, with texts of maximum length. */
export function storm(size = 400): Alert[] {
  const long = '👩🏽‍🚒<&>"*_[]()@'.repeat(40)
  return Array.from({ length: size }, (_, i) =>
    alert({
      subject: `${hostileNames[i % hostileNames.length]} ${i}`,
      target: long,
      reason: words(long),
      notes: hostileNotes,
    }),
  )
}

const poster = createHttpSender({ guard: createGuard({ policy: 'allow' }) })

const { send: post } = poster

/** Sends a message over a channel to a real socket, with validated settings. */
export async function send(
  channel: ChannelName,
  settings: object,
  message: Message,
  { mail, now = AT }: { mail?: SendEmail; now?: number } = {},
): Promise<ChannelResult> {
  const verdict = checkSettings(channel, settings, 'allow')
  assert.ok('value' in verdict, JSON.stringify(verdict))
  const signal = AbortSignal.timeout(20_000)
  return channels[channel].send({ to: verdict.value, message, post, mail, signal, now })
}

export function expectSent(sent: ChannelResult): void {
  assert.deepEqual(sent, { ok: true })
}

/** Closes kept connections. */
export function closePost(): void {
  poster.close()
}
