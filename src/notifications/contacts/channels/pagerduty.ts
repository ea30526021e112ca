import { defaulted } from '../../../contract/schema.ts'
import { cut } from '../../../lib/text.ts'
import { type Severity, type Thread, texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel, type Errand, type Sent, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** PagerDuty's bound on a summary. */
const SUMMARY = 1024
const DETAILS = 8000

const severities: Readonly<Record<Severity, string>> = {
  critical: 'critical',
  warning: 'warning',
  good: 'info',
  info: 'info',
}

interface To {
  readonly routingKey: string
  readonly apiUrl: string
}

/** Events with a `dedup_key` can be sent again without harm, so a message of several is repeated as a whole. */
async function send({ to, message, ...delivery }: Errand<To>): Promise<Sent> {
  const events = [
    ...message.begun.map((thread) => trigger(thread, message.link, message.at)),
    ...message.over.map((key) => ({ event_action: 'resolve', dedup_key: key })),
  ]
  for (const event of events) {
    const letter = jsonLetter(under(to.apiUrl, '/v2/enqueue'), { routing_key: to.routingKey, ...event })
    const sent = await deliver({ label: 'PagerDuty', ...delivery }, letter)
    if (!sent.ok) return sent
  }
  return { ok: true }
}

function trigger(thread: Thread, link: string, at: number) {
  const { key, title, severity } = thread
  return {
    event_action: 'trigger',
    dedup_key: key,
    client: 'Pharos',
    client_url: link,
    payload: {
      summary: cut(title, SUMMARY),
      source: 'Pharos',
      severity: severities[severity],
      timestamp: new Date(at).toISOString(),
      custom_details: { alerts: fit(texts(thread), DETAILS) },
    },
    links: [{ href: link, text: 'Open in Pharos' }],
  }
}

export const pagerDuty = channel({
  label: 'PagerDuty',
  keepsIncidents: true,
  settings: {
    routingKey: token('the integration key of an Events API v2 integration', {
      form: '^[A-Za-z0-9]{32}$',
      must: 'must be 32 letters and digits',
    }),
    apiUrl: defaulted(
      address('where the Events API is; in the EU https://events.eu.pagerduty.com'),
      'https://events.pagerduty.com',
    ),
  },
  send,
})
