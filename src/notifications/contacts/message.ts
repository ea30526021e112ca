import { oneLine, truncate } from '../../lib/text.ts'
import { symbols, type Tone } from '../../outbound/email-layout.ts'
import { arrangeEntries } from './chain/chain.ts'
import { type Entry, groupAlerts, type State } from './chain/group-alerts.ts'
import type { Flapping } from './flapping.ts'
import { capitalized, type Words, wordsFor } from './languages/words.ts'
import { problemStartedBy } from './problems.ts'
import type { Alert } from './types.ts'
import { type EntryText, writeEntry } from './write-entry.ts'
import { type NoteText, writeChanges, writeNotes } from './write-notes.ts'
import { titleOf } from './write-title.ts'

export type Severity = 'critical' | 'warning' | 'good' | 'info'

export interface MessageEntry extends EntryText {
  readonly symbol: string
  readonly link: string
}

/** Sorted by urgency. Texts are not escaped: `bodyOf` does that for a channel. */
export interface MessageList {
  readonly title: string
  readonly severity: Severity
  /** The state of the most urgent entry. */
  readonly tone: Tone
  readonly word: string
  readonly entries: readonly MessageEntry[]
  /** How many entries were left out of `entries`. */
  readonly unlisted: number
  /** What had changed before the outages. */
  readonly changes: readonly string[]
  /** What is true of all outages together, and what else is down. */
  readonly remarks: readonly string[]
  /** What is noted on the monitors. */
  readonly notes: readonly NoteText[]
  /** Of the reader. */
  readonly words: Words
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
  /** Where each alert leads. */
  readonly linkOf: (alert: Alert) => string
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
  readonly reader: Reader
  readonly at: number
}

/** The organization that a message comes from. */
export interface MessageSource {
  readonly organization: string
  /** See `dashboardUrlOf`. */
  readonly dashboardUrl: string
}

export interface Reader {
  readonly language: string
  /** An IANA name. */
  readonly timezone: string
}

/** The base of links for an organization. Uses its id, because its slug can change. */
export function dashboardUrlOf(baseUrl: string, orgId: string): string {
  return `${baseUrl}/o/${orgId}`
}

export function composeMessage(input: MessageInput): Message {
  const { alerts, ongoing, flapping = [], resolvedThreads, from, reader, at } = input
  const context = { words: wordsFor(reader.language, reader.timezone), dashboardUrl: from.dashboardUrl, at }
  const entries = arrangeEntries(alerts, flapping)
  return {
    ...listOf(entries, ongoing, context),
    organization: from.organization,
    id: alerts.reduce((latest, { messageId }) => (messageId > latest ? messageId : latest), ''),
    link: linkTo(from.dashboardUrl, entries),
    at,
    alerts,
    linkOf: (alert) => linkOf(from.dashboardUrl, alert),
    openedThreads: resolvedThreads === undefined ? [] : threadsIn(alerts, context),
    resolvedThreads: resolvedThreads ?? [],
  }
}

/** Says which contact it is for, and which organization of which installation it comes from. */
export function testMessage(
  { name, channel }: { readonly name: string; readonly channel: string },
  { organization, dashboardUrl }: MessageSource,
  reader: Reader,
  id: string,
  at: number,
): Message {
  const words = wordsFor(reader.language, reader.timezone)
  const title = words.text('test', { organization: truncate(oneLine(organization), MAX_NAME) })
  const where = words.text(channel === 'EMAIL' ? 'testAddress' : 'testHere', {
    name: truncate(oneLine(name), MAX_NAME),
  })
  const link = `${dashboardUrl}/`
  const entry: MessageEntry = {
    symbol: symbols.up,
    title,
    tone: 'up',
    word: words.text('word_test'),
    brief: '',
    lines: [where, words.text('testFrom', { host: new URL(dashboardUrl).host })].map((line) =>
      capitalized(line, words),
    ),
    link,
  }
  const list = { title, severity: 'info', tone: 'up', word: entry.word, entries: [entry], unlisted: 0, words } as const
  const thread: Thread = { key: id, ...list, changes: [], remarks: [], notes: [] }
  const empty = { alerts: [], linkOf: () => link }
  return { ...thread, ...empty, id, organization, link, at, openedThreads: [thread], resolvedThreads: [id] }
}

interface Context {
  readonly words: Words
  readonly dashboardUrl: string
  readonly at: number
}

/**
 * The threads that a message opens: one for each message id, so that a repeated alert has the same key at the provider.
 * Alerts without an end (such as an expiring certificate) are in a thread of their own, which is not resolved with the
 * problems.
 */
function threadsIn(alerts: readonly Alert[], context: Context): Thread[] {
  const threads: Thread[] = []
  for (const [messageId, group] of Map.groupBy(alerts, (alert) => alert.messageId)) {
    const entries = groupAlerts(group)
    const problems = entries.filter(({ state }) => state === 'down' || state === 'degraded')
    const notes = entries.filter(({ alert, state }) => problemStartedBy(alert) === null && !isNews(state))
    if (problems.length > 0) threads.push({ key: messageId, ...listOf(problems, [], context) })
    if (notes.length > 0) threads.push({ key: `${messageId}-notes`, ...listOf(notes, [], context) })
  }
  return threads
}

/** Something that nobody has to act on. */
function isNews(state: State): boolean {
  return state === 'acknowledged' || isGood(state)
}

function isGood(state: State): boolean {
  return state === 'up' || state === 'recovered'
}

const MAX_NAME = 100
/** More than any channel can show. */
const MAX_ENTRIES = 300
/** Of what is still down. */
const MAX_NAMES = 6

function listOf(entries: readonly Entry[], ongoing: readonly Alert[], context: Context): MessageList {
  const { words, dashboardUrl, at } = context
  // The title names a few, and the rest of a large outage is only counted.
  const written = entries.map((entry, i) => ({
    entry,
    text: i < MAX_ENTRIES ? writeEntry(entry, words, at) : unlistedText,
  }))
  const [first] = written
  return {
    title: titleOf(written, words),
    severity: severityOf(entries),
    tone: first?.text.tone ?? 'up',
    word: first?.text.word ?? words.text('word_resolved'),
    entries: written.slice(0, MAX_ENTRIES).map(({ entry, text }) => ({
      ...text,
      symbol: symbols[text.tone],
      link: linkOf(dashboardUrl, entry.alert),
    })),
    unlisted: Math.max(0, entries.length - MAX_ENTRIES),
    changes: writeChanges(entries, words, at),
    remarks: [...commonAddress(entries, words), ...stillDown(ongoing, words)],
    notes: writeNotes(entries, words),
    words,
  }
}

const unlistedText: EntryText = { tone: 'neutral', word: '', title: '', brief: '', lines: [] }

function severityOf(entries: readonly Entry[]): Severity {
  if (entries.some(({ state }) => state === 'down')) return 'critical'
  if (entries.every(({ state, flapping }) => isGood(state) && flapping === undefined)) return 'good'
  return entries.every(({ state }) => isNews(state)) && entries.some(({ state }) => state === 'acknowledged')
    ? 'info'
    : 'warning'
}

/** All new outages have one address: then it is rarely the monitored services that fail. */
function commonAddress(entries: readonly Entry[], words: Words): readonly string[] {
  const down = entries.filter(({ state }) => state === 'down')
  const [address] = down.map(({ alert }) => alert.facts?.ip)
  if (down.length < 2 || address === undefined || down.some(({ alert }) => alert.facts?.ip !== address)) return []
  return [
    down.length === 2
      ? words.text('bothResolveTo', { address })
      : words.counted('allResolveTo', down.length, { address }),
  ]
}

function stillDown(ongoing: readonly Alert[], words: Words): readonly string[] {
  if (ongoing.length === 0) return []
  const names = ongoing.map(({ subject }) => truncate(oneLine(subject), MAX_NAME))
  return [words.text('stillDown', { names: words.names(names, MAX_NAMES) })]
}

function linkTo(dashboardUrl: string, entries: readonly Entry[]): string {
  const [only] = entries
  return only === undefined || entries.length > 1 ? `${dashboardUrl}/incidents` : linkOf(dashboardUrl, only.alert)
}

function linkOf(dashboardUrl: string, { incidentId, monitorId, kind }: Alert): string {
  if (incidentId !== null) return `${dashboardUrl}/incidents/${incidentId}`
  if (kind === 'network_down') return `${dashboardUrl}/monitors`
  return monitorId === null ? `${dashboardUrl}/webhooks` : `${dashboardUrl}/monitors/${monitorId}`
}
