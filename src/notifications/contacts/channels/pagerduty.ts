import { defaulted } from '../../../contract/schema.ts'
import { truncate } from '../../../lib/text.ts'
import type { Severity, Thread } from '../message.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines, noMarkup } from '../text.ts'
import { channel, joinUrl, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** PagerDuty's limit for a summary. */
const MAX_SUMMARY = 1024
const MAX_DETAILS = 8000
const MAX_LINKS = 20

const severities: Readonly<Record<Severity, string>> = {
  critical: 'critical',
  warning: 'warning',
  good: 'info',
  info: 'info',
}

function trigger(thread: Thread, link: string, at: number) {
  const { key, title, severity, entries, words } = thread
  const own =
    entries.length < 2 ? [] : entries.slice(0, MAX_LINKS).map((entry) => ({ href: entry.link, text: entry.title }))
  return {
    event_action: 'trigger',
    dedup_key: key,
    client: 'Pharos',
    client_url: link,
    payload: {
      summary: truncate(title, MAX_SUMMARY),
      source: 'Pharos',
      severity: severities[severity],
      timestamp: new Date(at).toISOString(),
      custom_details: { alerts: fitLines(bodyOf(thread, noMarkup, withoutLink), MAX_DETAILS) },
    },
    links: [{ href: link, text: words.text('open') }, ...own],
  }
}

/** The links are listed apart. */
function withoutLink({ symbol, lead, rest }: { symbol: string; lead: string; rest: string }): string {
  return `${symbol} ${lead}${rest}`
}

export const pagerDuty = channel({
  label: 'PagerDuty',
  tracksIncidents: true,
  settings: {
    routingKey: token('integration key of an Events API v2 integration', {
      form: '^[A-Za-z0-9]{32}$',
      must: 'must be 32 letters and digits',
    }),
    apiUrl: defaulted(
      url('URL of the Events API; in the EU https://events.eu.pagerduty.com'),
      'https://events.pagerduty.com',
    ),
  },
  /** Several events can be repeated as a whole: PagerDuty deduplicates them by `dedup_key`. */
  async send({ to, message, ...delivery }) {
    const events = [
      ...message.openedThreads.map((thread) => trigger(thread, message.link, message.at)),
      ...message.resolvedThreads.map((key) => ({ event_action: 'resolve', dedup_key: key })),
    ]
    for (const event of events) {
      const body = { routing_key: to.routingKey, ...event }
      const result = await postJson(joinUrl(to.apiUrl, '/v2/enqueue'), body, { label: 'PagerDuty', ...delivery })
      if (!result.ok) return result
    }
    return { ok: true }
  },
})
