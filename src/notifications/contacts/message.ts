import { oneLine, truncate } from '../../lib/text.ts'
import { utcTimeText } from '../../lib/timestamp.ts'
import { symbols, type Tone } from '../../outbound/email-layout.ts'
import { englishText } from '../../reasons/english.ts'
import { arrangeEntries } from './chain/chain.ts'
import { type Entry, groupAlerts } from './chain/group-alerts.ts'
import { detailsText } from './details.ts'
import type { Flapping } from './flapping.ts'
import { problemStartedBy } from './problems.ts'
import { isGood, spanOf, stateWords, statusText, titleOf } from './status-text.ts'
import type { Escape, PlainText, TextLines } from './text.ts'
import type { Alert } from './types.ts'

export type Severity = 'critical' | 'warning' | 'good' | 'info'

/** Texts are single lines of bounded length. They are not escaped: `lineText` and `listText` do that for a channel. */
export interface MessageLine {
  readonly symbol: string
  readonly subject: string
  readonly status: string
  readonly tone: Tone
  /** The state in one or two words. */
  readonly state: string
  /** How long the problem lasted, if it has ended. */
  readonly duration: string | null
  readonly reason: string | null
  readonly target: string | null
  readonly at: number
}

/** Sorted by urgency. */
export interface MessageList {
  readonly title: string
  readonly severity: Severity
  readonly lines: readonly MessageLine[]
  /** How many entries were left out of `lines`. */
  readonly unlisted: number
  /** What is noted on the monitors, in lines of bounded length. */
  readonly notes: readonly PlainText[]
}

/** One incident at a provider that tracks incidents. */
export interface Thread extends MessageList {
  readonly key: string
}

/** The content of a message, independent of the channel. */
export interface Message extends MessageList {
  /** Stays the same when the message is sent again. */
  readonly id: string
  /** The name of the organization that it comes from. */
  readonly organization: string
  readonly link: string
  readonly at: number
  readonly alerts: readonly Alert[]
  /** For channels that track incidents. */
  readonly openedThreads: readonly Thread[]
  readonly resolvedThreads: readonly string[]
}

export interface MessageInput {
  readonly alerts: readonly Alert[]
  /** Outages that recent messages reported and that have not ended. */
  readonly ongoing: readonly Alert[]
  /** The monitors that flap. */
  readonly flapping?: readonly Flapping[]
  /** Present only if the channel tracks incidents. */
  readonly resolvedThreads?: readonly string[]
  readonly from: MessageSource
  readonly at: number
}

/** The organization that a message comes from. */
export interface MessageSource {
  readonly organization: string
  /** See `dashboardUrlOf`. */
  readonly dashboardUrl: string
}

/** The base of links for an organization. Uses its id, because its slug can change. */
export function dashboardUrlOf(baseUrl: string, orgId: string): string {
  return `${baseUrl}/o/${orgId}`
}

export function composeMessage({ alerts, ongoing, flapping = [], resolvedThreads, from, at }: MessageInput): Message {
  const entries = arrangeEntries(alerts, { flapping, ongoing })
  return {
    ...listOf(entries),
    organization: from.organization,
    id: alerts.reduce((latest, { messageId }) => (messageId > latest ? messageId : latest), ''),
    link: linkTo(from.dashboardUrl, entries),
    at,
    alerts,
    openedThreads: resolvedThreads === undefined ? [] : threadsIn(alerts),
    resolvedThreads: resolvedThreads ?? [],
  }
}

/** Says which contact it is for, and which organization of which installation it comes from. */
export function testMessage(
  { name, channel }: { readonly name: string; readonly channel: string },
  { organization, dashboardUrl }: MessageSource,
  id: string,
  at: number,
): Message {
  const title = `Test alert from ${truncate(oneLine(organization), MAX_LENGTH.subject)}`
  const line: MessageLine = {
    symbol: '●',
    subject: title,
    status: '',
    tone: 'up',
    state: 'Test',
    duration: null,
    reason: `Alerts for ${truncate(oneLine(name), MAX_LENGTH.subject)} will arrive ${channel === 'EMAIL' ? 'at this address' : 'here'}`,
    target: new URL(dashboardUrl).host,
    at,
  }
  const thread: Thread = { key: id, title, severity: 'info', lines: [line], unlisted: 0, notes: [] }
  const link = `${dashboardUrl}/`
  return { ...thread, id, organization, link, at, alerts: [], openedThreads: [thread], resolvedThreads: [id] }
}

/**
 * The threads that a message opens: one for each message id, so that a repeated alert has the same key at the provider.
 * Alerts without an end (such as an expiring certificate) are in a thread of their own, which is not resolved with the
 * problems.
 */
function threadsIn(alerts: readonly Alert[]): Thread[] {
  const threads: Thread[] = []
  for (const [messageId, group] of Map.groupBy(alerts, (alert) => alert.messageId)) {
    const entries = groupAlerts(group)
    const problems = entries.filter(({ state }) => state === 'down' || state === 'degraded')
    const notes = entries.filter(({ alert, state }) => problemStartedBy(alert) === null && !isGood(state))
    if (problems.length > 0) threads.push({ key: messageId, ...listOf(problems) })
    if (notes.length > 0) threads.push({ key: `${messageId}-notes`, ...listOf(notes) })
  }
  return threads
}

/** More than any channel can show. */
const MAX_LINES = 300

function listOf(entries: readonly Entry[]): MessageList {
  return {
    title: titleOf(entries),
    severity: severityOf(entries),
    lines: entries.slice(0, MAX_LINES).map(lineOf),
    unlisted: Math.max(0, entries.length - MAX_LINES),
    notes: detailsText(entries.map(({ alert }) => alert)),
  }
}

function severityOf(entries: readonly Entry[]): Severity {
  if (entries.some(({ state }) => state === 'down')) return 'critical'
  return entries.every(({ state }) => isGood(state)) ? 'good' : 'warning'
}

const MAX_LENGTH = { subject: 120, target: 150, reason: 200 }

function lineOf(entry: Entry): MessageLine {
  const { alert, state } = entry
  const { target, reason } = alert
  const tone = state === 'down' || state === 'still_down' ? 'down' : isGood(state) ? 'up' : 'degraded'
  return {
    symbol: symbols[tone],
    subject: truncate(oneLine(alert.subject), MAX_LENGTH.subject),
    status: statusText(entry),
    tone,
    state: entry.flapping === undefined ? stateWords[state] : 'Flapping',
    duration: spanOf(entry),
    reason: reason === null ? null : truncate(oneLine(englishText(reason)), MAX_LENGTH.reason),
    target: target === null ? null : truncate(oneLine(target), MAX_LENGTH.target),
    at: entry.endedAt ?? alert.at,
  }
}

function linkTo(dashboardUrl: string, entries: readonly Entry[]): string {
  const [only] = entries
  if (only === undefined || entries.length > 1) return `${dashboardUrl}/incidents`
  const { incidentId, monitorId, kind } = only.alert
  if (incidentId !== null) return `${dashboardUrl}/incidents/${incidentId}`
  if (kind === 'network_down') return `${dashboardUrl}/monitors`
  return monitorId === null ? `${dashboardUrl}/webhooks` : `${dashboardUrl}/monitors/${monitorId}`
}

/** A line in the markup of a channel, which may emphasize the lead. */
interface LineText {
  readonly tone: Tone
  readonly symbol: string
  readonly lead: string
  readonly rest: string
}

export function lineText(line: MessageLine, escapeText: Escape): LineText {
  const { tone, symbol, subject, status, reason, target, at } = line
  const where = [...(target === null ? [] : [target]), utcTimeText(at)].join(', ')
  return {
    tone,
    symbol,
    lead: escapeText([subject, status].filter(Boolean).join(' ')),
    rest: escapeText(`${reason === null ? '' : `: ${reason}`} (${where})`),
  }
}

/** Everything in the markup of a channel. `textOf` gives the form of a line. */
export function listText(
  { lines, unlisted, notes }: MessageList,
  escapeText: Escape,
  textOf = ({ symbol, lead, rest }: LineText): string => `${symbol} ${lead}${rest}`,
): TextLines {
  return {
    lines: lines.map((line) => textOf(lineText(line, escapeText))),
    unlisted,
    notes: notes.map(({ plainText }) => escapeText(plainText)),
  }
}
