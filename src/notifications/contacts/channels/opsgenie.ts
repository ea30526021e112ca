import { defaulted } from '../../../contract/schema.ts'
import { truncate } from '../../../lib/text.ts'
import type { Severity, Thread } from '../message.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines } from '../text.ts'
import { channel, joinUrl, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Opsgenie's limits. */
const MAX_MESSAGE = 130
const MAX_DESCRIPTION = 15_000
const MAX_NOTE = 1000

/** Opsgenie renders HTML in messages, but not in notifications: a space keeps `<` from beginning a tag without an entity that people would see. */
function escapeText(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '< ')
}

const priorities: Readonly<Record<Severity, string>> = { critical: 'P1', warning: 'P3', good: 'P5', info: 'P5' }

function newAlert(thread: Thread, link: string) {
  const { key, title, severity } = thread
  return {
    message: truncate(escapeText(title), MAX_MESSAGE),
    alias: key,
    description: [...fitLines(bodyOf(thread, escapeText), MAX_DESCRIPTION - link.length - 2), '', link].join('\n'),
    priority: priorities[severity],
    source: 'Pharos',
    details: { link },
  }
}

export const opsgenie = channel({
  label: 'Opsgenie',
  tracksIncidents: true,
  settings: {
    apiKey: token('API integration key'),
    apiUrl: defaulted(url('URL of the Alert API; in the EU https://api.eu.opsgenie.com'), 'https://api.opsgenie.com'),
  },
  /** Several requests can be repeated as a whole: creating an alert whose alias exists only increments its count. */
  async send({ to, message, ...delivery }) {
    const requests = [
      ...message.openedThreads.map((thread) => ({ path: '/v2/alerts', body: newAlert(thread, message.link) })),
      ...message.resolvedThreads.map((key) => ({
        path: `/v2/alerts/${encodeURIComponent(key)}/close?identifierType=alias`,
        body: { source: 'Pharos', note: truncate(escapeText(message.title), MAX_NOTE) },
      })),
    ]
    const headers = { authorization: `GenieKey ${to.apiKey}` }
    for (const { path, body } of requests) {
      const result = await postJson(joinUrl(to.apiUrl, path), body, { label: 'Opsgenie', ...delivery, headers })
      if (!result.ok) return result
    }
    return { ok: true }
  },
})
