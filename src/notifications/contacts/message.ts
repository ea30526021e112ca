import { oneLine, truncate } from '../../lib/text.ts'
import { type Entry, groupAlerts, type State } from './group.ts'
import { problemStartedBy } from './problems.ts'
import { durationText, type TextLines, timeText } from './text.ts'
import type { Alert } from './types.ts'

export type Severity = 'critical' | 'warning' | 'good' | 'info'

/** One thing that happened. What others wrote is one line of text and cut short, but not escaped: that is the channel's. */
export interface MessageLine {
  readonly symbol: string
  readonly subject: string
  readonly status: string
  readonly reason: string | null
  readonly target: string | null
  readonly at: number
}

/** What happened, the most urgent first. */
export interface MessageList {
  readonly title: string
  readonly severity: Severity
  readonly lines: readonly MessageLine[]
  /** How many more there are than lines: nobody reads so many. */
  readonly unlisted: number
}

/** Something that a service which keeps incidents keeps as one. */
export interface Thread extends MessageList {
  readonly key: string
}

/** What a contact is told, in no channel's own words. */
export interface Message extends MessageList {
  /** The same when the same is sent again. */
  readonly id: string
  readonly link: string
  readonly at: number
  readonly alerts: readonly Alert[]
  /** For services that keep incidents: what begins, and what is over. */
  readonly openedThreads: readonly Thread[]
  readonly resolvedThreads: readonly string[]
}

export interface MessageInput {
  readonly alerts: readonly Alert[]
  /** What was told a moment ago and goes on. */
  readonly ongoing: readonly Alert[]
  /** Present where the service keeps incidents: notices all of whose troubles have ended. */
  readonly resolvedThreads?: readonly string[]
  /** Where the organization's part of the dashboard is (see `homeOf`). */
  readonly dashboardUrl: string
  readonly at: number
}

/** Where links lead to. The path may name the organization by its slug as well, but that can change. */
export function dashboardUrlOf(baseUrl: string, orgId: string): string {
  return `${baseUrl}/o/${orgId}`
}

export function composeMessage({ alerts, ongoing, resolvedThreads, dashboardUrl, at }: MessageInput): Message {
  const entries = [...groupAlerts(alerts), ...ongoing.map(stillDown)]
  return {
    ...listingOf(entries),
    id: alerts.reduce((latest, { messageId }) => (messageId > latest ? messageId : latest), ''),
    link: linkTo(dashboardUrl, entries),
    at,
    alerts,
    openedThreads: resolvedThreads === undefined ? [] : threadsIn(alerts),
    resolvedThreads: resolvedThreads ?? [],
  }
}

/** What somebody sends to see whether it arrives. */
export function testMessage(contactName: string, id: string, home: string, at: number): Message {
  const line: MessageLine = {
    symbol: '●',
    subject: 'This is a test',
    status: `of the contact ${truncate(oneLine(contactName), 120)}`,
    reason: 'if you can read it, alerts will arrive here',
    target: null,
    at,
  }
  const thread: Thread = { key: id, title: 'Test of an alert contact', severity: 'info', lines: [line], unlisted: 0 }
  return { ...thread, id, link: `${home}/`, at, alerts: [], openedThreads: [thread], resolvedThreads: [id] }
}

/**
 * What begins, by the notice in which it was first told: that is its name at the service, also when it is sent again
 * with more beside it. What has no end to come is kept apart, so that it is not closed with what has.
 */
function threadsIn(alerts: readonly Alert[]): Thread[] {
  const threads: Thread[] = []
  for (const [notice, its] of Map.groupBy(alerts, (alert) => alert.messageId)) {
    const entries = groupAlerts(its)
    const troubles = entries.filter(({ state }) => state === 'down' || state === 'degraded')
    const notes = entries.filter(({ alert, state }) => problemStartedBy(alert) === null && !isGood(state))
    if (troubles.length > 0) threads.push({ key: notice, ...listingOf(troubles) })
    if (notes.length > 0) threads.push({ key: `${notice}-notes`, ...listingOf(notes) })
  }
  return threads
}

/** More than any channel can carry. */
const MOST_LINES = 300

function listingOf(entries: readonly Entry[]): MessageList {
  return {
    title: titleOf(entries),
    severity: severityOf(entries),
    lines: entries.slice(0, MOST_LINES).map(lineOf),
    unlisted: Math.max(0, entries.length - MOST_LINES),
  }
}

function stillDown(alert: Alert): Entry {
  return { state: 'still_down', alert, beganAt: null, endedAt: null, alerts: [] }
}

function isGood(state: State): boolean {
  return state === 'up' || state === 'recovered'
}

function severityOf(entries: readonly Entry[]): Severity {
  if (entries.some(({ state }) => state === 'down')) return 'critical'
  return entries.every(({ state }) => isGood(state)) ? 'good' : 'warning'
}

const LONGEST = { subject: 120, target: 150, reason: 200 }

function lineOf(entry: Entry): MessageLine {
  const { alert, state } = entry
  const { target, reason } = alert
  return {
    symbol: state === 'down' || state === 'still_down' ? '✕' : isGood(state) ? '●' : '▲',
    subject: truncate(oneLine(alert.subject), LONGEST.subject),
    status: saysOf(entry),
    reason: reason === null ? null : truncate(oneLine(reason), LONGEST.reason),
    target: target === null ? null : truncate(oneLine(target), LONGEST.target),
    at: entry.endedAt ?? alert.at,
  }
}

function saysOf({ state, beganAt, endedAt }: Entry): string {
  const span = beganAt === null || endedAt === null ? null : durationText(endedAt - beganAt)
  if (state === 'was_down') return `was down for ${span} and is up again`
  if (state === 'was_degraded') return `was degraded for ${span} and is well again`
  const after = isGood(state) && span !== null ? ` after ${span}` : ''
  return `${sayings[state][0]}${after}`
}

/** What is said of one, and of several. */
const sayings: Readonly<Record<State, readonly [string, string]>> = {
  down: ['is down', 'are down'],
  still_down: ['is still down', 'are still down'],
  degraded: ['is degraded', 'are degraded'],
  certificate_expiring: ['has a certificate that expires soon', 'have certificates that expire soon'],
  domain_expiring: ['has a registration that expires soon', 'have registrations that expire soon'],
  endpoint_disabled: ['gets no more webhooks', 'get no more webhooks'],
  dns_changed: ['has other DNS records than before', 'have other DNS records than before'],
  was_down: ['was down and is up again', 'were down and are up again'],
  was_degraded: ['was degraded and is well again', 'were degraded and are well again'],
  up: ['is up again', 'are up again'],
  recovered: ['is no longer degraded', 'are no longer degraded'],
}

/** Room for it is everywhere. */
const LONGEST_TITLE = 120

function titleOf(entries: readonly Entry[]): string {
  const [only] = entries
  if (only === undefined) return 'It is over'
  if (entries.length === 1) {
    const says = saysOf(only)
    return `${truncate(oneLine(only.alert.subject), LONGEST_TITLE - says.length - 1)} ${says}`
  }
  const parts = [...Map.groupBy(entries, ({ state }) => state)].map(([state, { length }], i) => {
    const noun = i > 0 ? '' : state === 'endpoint_disabled' ? ' endpoint' : ' monitor'
    return length === 1 ? `1${noun} ${sayings[state][0]}` : `${length}${noun && `${noun}s`} ${sayings[state][1]}`
  })
  return truncate(parts.join(', '), LONGEST_TITLE)
}

function linkTo(home: string, entries: readonly Entry[]): string {
  const [only] = entries
  if (only === undefined || entries.length > 1) return `${home}/incidents`
  const { incidentId, monitorId } = only.alert
  if (incidentId !== null) return `${home}/incidents/${incidentId}`
  return monitorId === null ? `${home}/webhooks` : `${home}/monitors/${monitorId}`
}

/** A line as plain text in two parts, of which the first may be made to stand out. */
export function lineParts({
  symbol,
  subject,
  status,
  reason,
  target,
  at,
}: MessageLine): readonly [lead: string, rest: string] {
  const where = [...(target === null ? [] : [target]), timeText(at)].join(', ')
  return [`${symbol} ${subject} ${status}`, `${reason === null ? '' : `: ${reason}`} (${where})`]
}

export function lineText(line: MessageLine): string {
  return lineParts(line).join('')
}

/** A listing with its lines as text. */
export function listText(
  { lines, unlisted }: MessageList,
  textOf: (line: MessageLine) => string = lineText,
): TextLines {
  return { lines: lines.map(textOf), unlisted }
}
