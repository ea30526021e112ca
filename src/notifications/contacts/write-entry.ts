import { DAY_MS } from '../../lib/clock.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import type { Tone } from '../../outbound/email-layout.ts'
import type { Reason } from '../../reasons/reason.ts'
import { causeText } from './causes.ts'
import type { Entry, State } from './chain/group-alerts.ts'
import { FLAPPING_COUNT, type Flapping, SPACING_MS } from './flapping.ts'
import { capitalized as own, type Words } from './languages/words.ts'
import { factsIn } from './read-reason.ts'

/** One entry in words. Texts are single lines of bounded length. They are not escaped: a channel does that. */
export interface EntryText {
  readonly tone: Tone
  /** The state in a word or two. */
  readonly word: string
  /** A whole sentence with the full name: Checkout is down. */
  readonly title: string
  /** What follows the title in a list: `: HTTP 503, since 2:02:11 PM`. */
  readonly brief: string
  /** Below the title in a message about this entry alone. */
  readonly lines: readonly string[]
}

const MAX_LENGTH = { name: 120, reason: 300, target: 200 }
/** Short enough for a subject. */
const MAX_FAILED = 90
const MAX_NAMES = 4
const MAX_OUTAGES = 10

/** The texts of an entry for a reader, `at` the time of the message. */
export function writeEntry(entry: Entry, words: Words, at: number): EntryText {
  if (entry.flapping !== undefined) return writeFlapping(entry, entry.flapping, words, at)
  const { title, word, tone, lines, brief: [reason = null, ...times] = [] } = writers[entry.state](entry, words, at)
  return {
    tone,
    title,
    word: words.text(word),
    brief: briefOf(reason, times.filter(isText), words),
    lines: lines.filter(isText),
  }
}

/** Follows a title. */
function briefOf(reason: string | null, times: readonly string[], words: Words): string {
  const start = isText(reason) ? words.text('labelled', { label: '', value: reason }) : ''
  return times.reduce((first, next) => words.text('clause', { first, next }), start)
}

interface Draft {
  readonly title: string
  readonly word: Extract<Parameters<Words['text']>[0], `word_${string}`>
  readonly tone: Tone
  /** What is unknown is null. */
  readonly lines: readonly (string | null)[]
  /** The reason, then times. */
  readonly brief?: readonly (string | null)[]
}

type Writer = (entry: Entry, words: Words, at: number) => Draft

/** A new kind of alert is a state here, and nothing in the channels. */
const writers: Readonly<Record<State, Writer>> = {
  down(entry, words, at) {
    const { alert, acknowledgedBy } = entry
    const since = words.text('since', { time: words.exactTime(startOf(entry), at) })
    const { tries } = alert.facts ?? {}
    const reason = reasonOf(entry, words, at)
    return {
      title: words.text('down', { name: nameOf(entry) }),
      word: 'word_down',
      tone: 'down',
      lines: [
        reason,
        targetOf(entry),
        own(
          tries === undefined
            ? since
            : words.text('clause', { first: since, next: words.counted('failedTries', tries) }),
          words,
        ),
        acknowledgedBy === undefined
          ? null
          : own(words.text('acknowledgedBy', { who: oneLine(acknowledgedBy) }), words),
      ],
      brief: [reason, since],
    }
  },

  was_down(entry, words, at) {
    const [from, until] = spanOf(entry)
    const range = words.range(from, until, at)
    const reason = reasonOf(entry, words, at)
    return {
      title: words.text('wasDown', { name: nameOf(entry), duration: words.duration(until - from) }),
      word: 'word_wasDown',
      tone: entry.isPast ? 'down' : 'up',
      lines: [reason, targetOf(entry), range, entry.isPast ? null : own(words.text('now_up'), words)],
      brief: [reason, range, entry.isPast ? null : words.text('now_up')],
    }
  },

  up(entry, words, at) {
    if (entry.isPast && isStartKnown(entry)) return writers.was_down(entry, words, at)
    const { alert } = entry
    const { uptimeToday } = alert.found ?? {}
    const uptime =
      uptimeToday === undefined ? null : own(words.text('uptimeToday', { percent: words.percent(uptimeToday) }), words)
    if (!isStartKnown(entry)) {
      const title = words.text('up_alone', { name: nameOf(entry) })
      return { title, word: 'word_wasDown', tone: 'up', lines: [targetOf(entry), uptime] }
    }
    const [from, until] = spanOf(entry)
    const down = words.text('downFromTo', { range: words.range(from, until, at) })
    const reason = reasonOf(entry, words, at)
    return {
      title: words.text('up', { name: nameOf(entry), duration: words.duration(until - from) }),
      word: 'word_wasDown',
      tone: 'up',
      lines: [
        own(reason === null ? down : words.text('labelled', { label: down, value: reason }), words),
        uptime,
        targetOf(entry),
      ],
      brief: [null, down],
    }
  },

  degraded(entry, words, at) {
    const { slow, failed = slow === undefined ? entry.alert.reason : null } = factsIn(entry.alert.reason)
    const name = nameOf(entry)
    const since = words.text('since', { time: words.exactTime(startOf(entry), at) })
    const failure = failed === null ? null : causeLine(failed, words, at)
    return {
      title:
        failure !== null
          ? words.text('failsCheck', { name, reason: truncate(failure, MAX_FAILED) })
          : slow !== undefined
            ? slowTitle(name, slow, words)
            : words.text('degraded', { name }),
      word: 'word_degraded',
      tone: 'degraded',
      lines: [
        failure !== null && failure.length > MAX_FAILED ? failure : null,
        slow === undefined ? null : responsesLine(slow, entry, words, at),
        targetOf(entry),
        own(since, words),
      ],
      brief: [null, since],
    }
  },

  was_degraded(entry, words, at) {
    const [from, until] = spanOf(entry)
    const range = words.range(from, until, at)
    return {
      title: words.text('wasDegraded', { name: nameOf(entry), duration: words.duration(until - from) }),
      word: 'word_recovered',
      tone: entry.isPast ? 'degraded' : 'up',
      lines: [degradedReason(entry, words, at), targetOf(entry), range],
      brief: [null, range],
    }
  },

  recovered(entry, words, at) {
    if (!isStartKnown(entry)) {
      const title = words.text('recovered_alone', { name: nameOf(entry) })
      return { title, word: 'word_recovered', tone: 'up', lines: [targetOf(entry)] }
    }
    if (entry.isPast) return writers.was_degraded(entry, words, at)
    const [from, until] = spanOf(entry)
    const degraded = words.text('degradedFromTo', { range: words.range(from, until, at) })
    return {
      title: words.text('recovered', { name: nameOf(entry), duration: words.duration(until - from) }),
      word: 'word_recovered',
      tone: 'up',
      lines: [own(degraded, words), targetOf(entry)],
      brief: [null, degraded],
    }
  },

  certificate_expiring(entry, words, at) {
    const { certificate } = entry.alert.found ?? {}
    const issuer =
      certificate &&
      own(words.text('issuedBy', { issuer: truncate(oneLine(certificate.issuer), MAX_LENGTH.name) }), words)
    return {
      title: expiryTitle(entry, 'certificate', words, at),
      word: 'word_expiring',
      tone: 'degraded',
      lines: [
        ...expiryLines(entry, words),
        issuer ?? null,
        certificate === undefined ? null : validFor(certificate, words),
      ],
    }
  },

  domain_expiring(entry, words, at) {
    const { registrar } = entry.alert.found ?? {}
    return {
      title: expiryTitle(entry, 'domain', words, at),
      word: 'word_expiring',
      tone: 'degraded',
      lines: [
        ...expiryLines(entry, words),
        registrar === undefined
          ? null
          : own(words.text('registrar', { name: truncate(oneLine(registrar), MAX_LENGTH.name) }), words),
      ],
    }
  },

  dns_changed(entry, words, at) {
    const { records } = factsIn(entry.alert.reason)
    const list = records && truncate(oneLine(words.list(records)), MAX_LENGTH.reason)
    return {
      title: words.text('dnsChanged', { name: nameOf(entry) }),
      word: 'word_changed',
      tone: 'degraded',
      lines: [
        list === undefined ? reasonOf(entry, words, at) : own(words.text('recordsNow', { records: list }), words),
        targetOf(entry),
      ],
      brief: [list === undefined ? reasonOf(entry, words, at) : words.text('recordsNow', { records: list })],
    }
  },

  endpoint_disabled(entry, words, at) {
    const reason = reasonOf(entry, words, at)
    return {
      title: words.text('endpointDisabled', { name: nameOf(entry) }),
      word: 'word_disabled',
      tone: 'degraded',
      lines: [reason === null ? null : own(reason, words)],
      brief: [reason],
    }
  },

  network_down({ alert }, words, at) {
    const { cutOff } = factsIn(alert.reason)
    const title =
      cutOff === undefined
        ? words.text('network_alone')
        : words.counted('network', cutOff.targets, { time: words.time(cutOff.since, at) })
    return {
      title,
      word: 'word_network',
      tone: 'degraded',
      lines: [own(words.text('ownNetwork'), words), own(words.text('nothingMarked'), words)],
      brief: [words.text('ownNetwork')],
    }
  },

  acknowledged(entry, words, at) {
    const { alert } = entry
    const who = truncate(oneLine(alert.facts?.acknowledgedBy ?? ''), MAX_LENGTH.name)
    const start = startOf(entry)
    return {
      title: words.text('acknowledged', { who, name: nameOf(entry), duration: words.duration(alert.at - start) }),
      word: 'word_acknowledged',
      tone: 'neutral',
      lines: [reasonOf(entry, words, at), own(words.text('since', { time: words.exactTime(start, at) }), words)],
    }
  },
}

/** Its name says that more messages will not come at once. */
function writeFlapping(entry: Entry, flapping: Flapping, words: Words, at: number): EntryText {
  const { outages, degradations, since, until, outageTimes = [], confirmsRecovery = true } = flapping
  const now = entry.state === 'down' ? 'down' : entry.state === 'degraded' ? 'degraded' : 'up'
  const changes = [
    ...(outages > 0 ? [words.counted('timesDown', outages)] : []),
    ...(degradations > 0 ? [words.counted('timesDegraded', degradations)] : []),
  ]
  const title = words.text('flapping', {
    name: nameOf(entry),
    changes: words.names(changes, changes.length),
    duration: words.duration(until - since),
    now: words.text(`now_${now}`),
  })
  const next = { duration: words.duration(SPACING_MS) }
  const reason = entry.state === 'down' || entry.state === 'degraded' ? reasonOf(entry, words, at) : null
  const times = outageTimes.slice(-MAX_OUTAGES).map((time) => words.time(time, at))
  const lines = [
    reason,
    targetOf(entry),
    times.length === 0 ? null : own(words.text('downAt', { list: words.list(times) }), words),
    own(words.text(outages >= FLAPPING_COUNT ? 'nextMessage' : 'nextMessageOrDown', next), words),
    confirmsRecovery || outages < FLAPPING_COUNT
      ? null
      : own(words.text('suggestRecovery', { setting: words.text('recoverySetting') }), words),
  ]
  return {
    tone: now === 'down' ? 'down' : 'degraded',
    word: words.text('word_flapping'),
    title,
    brief: '',
    lines: lines.filter(isText),
  }
}

function isText(text: string | null): text is string {
  return text !== null && text !== ''
}

function nameOf({ alert }: Entry): string {
  return truncate(oneLine(alert.subject), MAX_LENGTH.name)
}

/** Not the name again. */
function targetOf({ alert }: Entry): string | null {
  if (alert.target === null || alert.target === alert.subject) return null
  return truncate(oneLine(alert.target), MAX_LENGTH.target)
}

function reasonOf({ alert }: Entry, words: Words, at: number): string | null {
  const reason = alert.reason ?? alert.found?.lastReason ?? null
  return reason === null ? null : causeLine(reason, words, at)
}

function causeLine(reason: Reason, words: Words, at: number): string {
  return truncate(oneLine(causeText(reason, words, at)), MAX_LENGTH.reason)
}

function isStartKnown({ alert, beganAt }: Entry): boolean {
  return beganAt !== null || alert.found?.startedAt !== undefined
}

function startOf({ alert, beganAt }: Entry): number {
  return alert.found?.startedAt ?? beganAt ?? alert.at
}

/** Of a problem that has ended. */
function spanOf(entry: Entry): readonly [from: number, until: number] {
  const from = startOf(entry)
  return [from, Math.max(from, entry.endedAt ?? entry.alert.at)]
}

type Slow = NonNullable<ReturnType<typeof factsIn>['slow']>

function slowTitle(name: string, { ms, isP95, limitMs }: Slow, words: Words): string {
  const values = { name, time: words.responseTime(ms), limit: words.responseTime(limitMs) }
  return words.text(isP95 ? 'slow_p95' : 'slow', values)
}

/** What the title does not say. */
function responsesLine({ isP95, latestMs }: Slow, entry: Entry, words: Words, at: number): string | null {
  if (isP95) return own(reasonOf(entry, words, at) ?? '', words)
  const list = words.list(latestMs.map((ms) => words.responseTime(ms)))
  return latestMs.length < 2 ? null : own(words.text('lastResponses', { list }), words)
}

function degradedReason(entry: Entry, words: Words, at: number): string | null {
  const { slow, failed } = factsIn(entry.alert.reason)
  if (failed !== undefined) return causeLine(failed, words, at)
  return slow === undefined ? reasonOf(entry, words, at) : responsesLine(slow, entry, words, at)
}

/** The host or domain: a certificate has one, a monitor may have any name. */
function expiringName(entry: Entry): string {
  const target = entry.alert.target === null ? null : truncate(oneLine(entry.alert.target), MAX_LENGTH.target)
  if (target === null) return nameOf(entry)
  const url = URL.parse(target.includes('://') ? target : `https://${target}`)
  return url === null ? target : url.hostname
}

function expiryTitle(entry: Entry, of: 'certificate' | 'domain', words: Words, at: number): string {
  const { expiresAt } = factsIn(entry.alert.reason)
  const name = expiringName(entry)
  if (expiresAt === undefined) return words.text(`${of}Expires`, { name })
  const date = words.date(expiresAt, at)
  if (expiresAt <= at) return words.text(`${of}ExpiredOn`, { name, date })
  const days = Math.floor((expiresAt - at) / DAY_MS)
  const left = days === 0 ? words.text('lessThanADay') : words.counted('daysLeft', days)
  return words.text(`${of}ExpiresOn`, { name, date, left })
}

function expiryLines(entry: Entry, words: Words): readonly (string | null)[] {
  const [name, target] = [nameOf(entry), targetOf(entry)]
  const isNew = (text: string | null): text is string => text !== null && text !== expiringName(entry)
  return [
    isNew(name) ? own(words.text('monitor', { name }), words) : null,
    isNew(target) && target !== name ? target : null,
  ]
}

type Certificate = NonNullable<NonNullable<Entry['alert']['found']>['certificate']>

function validFor({ names, nameCount }: Certificate, words: Words): string | null {
  if (names.length === 0) return null
  const shown = names.slice(0, MAX_NAMES).map((name) => truncate(oneLine(name), MAX_LENGTH.name))
  const all = [...shown, ...Array<string>(Math.max(0, nameCount - shown.length)).fill('')]
  return own(words.text('validFor', { names: words.names(all, MAX_NAMES) }), words)
}
