import { defaulted } from '../../../contract/schema.ts'
import { cut } from '../../../lib/text.ts'
import { type Severity, type Thread, texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel, type Errand, type Sent, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Opsgenie's bounds. */
const MESSAGE = 130
const DESCRIPTION = 15_000

const priorities: Readonly<Record<Severity, string>> = { critical: 'P1', warning: 'P3', good: 'P5', info: 'P5' }

interface To {
  readonly apiKey: string
  readonly apiUrl: string
}

/** An alert is known by its alias: to make it again only counts it, so a message of several is repeated as a whole. */
async function send({ to, message, ...delivery }: Errand<To>): Promise<Sent> {
  const requests = [
    ...message.begun.map((thread) => ({ path: '/v2/alerts', body: newAlert(thread, message.link) })),
    ...message.over.map((key) => ({
      path: `/v2/alerts/${encodeURIComponent(key)}/close?identifierType=alias`,
      body: { source: 'Pharos', note: cut(message.title, 1000) },
    })),
  ]
  for (const { path, body } of requests) {
    const letter = jsonLetter(under(to.apiUrl, path), body, { authorization: `GenieKey ${to.apiKey}` })
    const sent = await deliver({ label: 'Opsgenie', ...delivery }, letter)
    if (!sent.ok) return sent
  }
  return { ok: true }
}

function newAlert(thread: Thread, link: string) {
  const { key, title, severity } = thread
  return {
    message: cut(title, MESSAGE),
    alias: key,
    description: [...fit(texts(thread), DESCRIPTION - link.length - 2), '', link].join('\n'),
    priority: priorities[severity],
    source: 'Pharos',
    details: { link },
  }
}

export const opsgenie = channel({
  label: 'Opsgenie',
  keepsIncidents: true,
  settings: {
    apiKey: token('the key of an API integration'),
    apiUrl: defaulted(
      address('where the Alert API is; in the EU https://api.eu.opsgenie.com'),
      'https://api.opsgenie.com',
    ),
  },
  send,
})
