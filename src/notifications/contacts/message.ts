import { cut, oneLine } from '../../lib/text.ts'
import { type Entry, group, type State } from './group.ts'
import { type Lines, spanText, timeText } from './text.ts'
import { troubleBegunBy } from './troubles.ts'
import type { Alert } from './types.ts'

export type Severity = 'critical' | 'warning' | 'good' | 'info'

/** One thing that happened. What others wrote is one line of text and cut short, but not escaped: that is the channel's. */
export interface Line {
  readonly mark: string
  readonly subject: string
  readonly says: string
  readonly reason: string | null
  readonly target: string | null
  readonly at: number
}

/** What happened, the most urgent first. */
export interface Listing {
  readonly title: string
  readonly severity: Severity
  readonly lines: readonly Line[]
  /** How many more there are than lines: nobody reads so many. */
  readonly unlisted: number
}

/** Something that a service which keeps incidents keeps as one. */
export interface Thread extends Listing {
  readonly key: string
}

/** What a contact is told, in no channel's own words. */
export interface Message extends Listing {
  /** The same when the same is sent again. */
  readonly id: string
  readonly link: string
  readonly at: number
  readonly alerts: readonly Alert[]
  /** For services that keep incidents: what begins, and what is over. */
  readonly begun: readonly Thread[]
  readonly over: readonly string[]
}

export interface Matter {
  readonly alerts: readonly Alert[]
  /** What was told a moment ago and goes on. */
  readonly still: readonly Alert[]
  /** Present where the service keeps incidents: notices all of whose troubles have ended. */
  readonly over?: readonly string[]
  /** Where the organization's part of the dashboard is (see `homeOf`). */
  readonly home: string
  readonly at: number
}

/** Where links lead to. The path may name the organization by its slug as well, but that can change. */
export function homeOf(baseUrl: string, orgId: string): string {
  return `${baseUrl}/o/${orgId}`
}

export function compose({ alerts, still, over, home, at }: Matter): Message {
  const entries = [...group(alerts), ...still.map(stillDown)]
  return {
    ...listingOf(entries),
    id: alerts.reduce((latest, { notice }) => (notice > latest ? notice : latest), ''),
    link: linkTo(home, entries),
    at,
    alerts,
    begun: over === undefined ? [] : threadsIn(alerts),
    over: over ?? [],
  }
}

/** What somebody sends to see whether it arrives. */
export function testMessage(contactName: string, id: string, home: string, at: number): Message {
  const line: Line = {
    mark: '●',
    subject: 'This is a test',
    says: `of the contact ${cut(oneLine(contactName), 120)}`,
    reason: 'if you can read it, alerts will arrive here',
    target: null,
    at,
  }
  const thread: Thread = { key: id, title: 'Test of an alert contact', severity: 'info', lines: [line], unlisted: 0 }
  return { ...thread, id, link: `${home}/`, at, alerts: [], begun: [thread], over: [id] }
}

/**
 * What begins, by the notice in which it was first told: that is its name at the service, also when it is sent again
 * with more beside it. What has no end to come is kept apart, so that it is not closed with what has.
 */
function threadsIn(alerts: readonly Alert[]): Thread[] {
  const threads: Thread[] = []
  for (const [notice, its] of Map.groupBy(alerts, (alert) => alert.notice)) {
    const entries = group(its)
    const troubles = entries.filter(({ state }) => state === 'down' || state === 'degraded')
    const notes = entries.filter(({ about, state }) => troubleBegunBy(about) === null && !isGood(state))
    if (troubles.length > 0) threads.push({ key: notice, ...listingOf(troubles) })
    if (notes.length > 0) threads.push({ key: `${notice}-notes`, ...listingOf(notes) })
  }
  return threads
}

/** More than any channel can carry. */
const MOST_LINES = 300

function listingOf(entries: readonly Entry[]): Listing {
  return {
    title: titleOf(entries),
    severity: severityOf(entries),
    lines: entries.slice(0, MOST_LINES).map(lineOf),
    unlisted: Math.max(0, entries.length - MOST_LINES),
  }
}

function stillDown(about: Alert): Entry {
  return { state: 'still_down', about, beganAt: null, endedAt: null, alerts: [] }
}

function isGood(state: State): boolean {
  return state === 'up' || state === 'recovered'
}

function severityOf(entries: readonly Entry[]): Severity {
  if (entries.some(({ state }) => state === 'down')) return 'critical'
  return entries.every(({ state }) => isGood(state)) ? 'good' : 'warning'
}

const LONGEST = { subject: 120, target: 150, reason: 200 }

function lineOf(entry: Entry): Line {
  const { about, state } = entry
  const { target, reason } = about
  return {
    mark: state === 'down' || state === 'still_down' ? '✕' : isGood(state) ? '●' : '▲',
    subject: cut(oneLine(about.subject), LONGEST.subject),
    says: saysOf(entry),
    reason: reason === null ? null : cut(oneLine(reason), LONGEST.reason),
    target: target === null ? null : cut(oneLine(target), LONGEST.target),
    at: entry.endedAt ?? about.at,
  }
}

function saysOf({ state, beganAt, endedAt }: Entry): string {
  const span = beganAt === null || endedAt === null ? null : spanText(endedAt - beganAt)
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
    return `${cut(oneLine(only.about.subject), LONGEST_TITLE - says.length - 1)} ${says}`
  }
  const parts = [...Map.groupBy(entries, ({ state }) => state)].map(([state, { length }], i) => {
    const noun = i > 0 ? '' : state === 'endpoint_disabled' ? ' endpoint' : ' monitor'
    return length === 1 ? `1${noun} ${sayings[state][0]}` : `${length}${noun && `${noun}s`} ${sayings[state][1]}`
  })
  return cut(parts.join(', '), LONGEST_TITLE)
}

function linkTo(home: string, entries: readonly Entry[]): string {
  const [only] = entries
  if (only === undefined || entries.length > 1) return `${home}/incidents`
  const { incidentId, monitorId } = only.about
  if (incidentId !== null) return `${home}/incidents/${incidentId}`
  return monitorId === null ? `${home}/webhooks` : `${home}/monitors/${monitorId}`
}

/** A line as plain text in two parts, of which the first may be made to stand out. */
export function lineParts({ mark, subject, says, reason, target, at }: Line): readonly [lead: string, rest: string] {
  const where = [...(target === null ? [] : [target]), timeText(at)].join(', ')
  return [`${mark} ${subject} ${says}`, `${reason === null ? '' : `: ${reason}`} (${where})`]
}

export function lineText(line: Line): string {
  return lineParts(line).join('')
}

/** A listing with its lines as text. */
export function texts({ lines, unlisted }: Listing, textOf: (line: Line) => string = lineText): Lines {
  return { lines: lines.map(textOf), unlisted }
}
