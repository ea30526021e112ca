import { stripControls } from '../../../lib/text.ts'
import { isoTimestamp } from '../../../lib/timestamp.ts'
import { englishText } from '../../../reasons/english.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines, noMarkup } from '../text.ts'
import type { Alert } from '../types.ts'
import { channel, optional, text, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** `text` is for people; programs have `alerts`, which is complete. */
const MAX_TEXT = 8000

/** Headers that users cannot set. */
const RESERVED =
  'host|content-type|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|authorization'

export const webhook = channel({
  label: 'Webhook',
  settings: {
    url: url('URL that receives alerts as JSON', { secret: true }),
    token: optional(token('sent as Authorization: Bearer …')),
    headerName: optional(
      text('name of a custom header', {
        form: `^(?!(${RESERVED.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)})$)[A-Za-z0-9-]{1,64}$`,
        must: 'must be a custom header name of letters, digits and "-"',
      }),
    ),
    headerValue: optional(
      text('value of the custom header', { secret: true, form: '^[ -~]+$', must: 'must be plain ASCII' }),
    ),
  },
  send({ to, message, ...delivery }) {
    const headers: Record<string, string> = {}
    if (to.token !== undefined) headers.authorization = `Bearer ${to.token}`
    if (to.headerName !== undefined && to.headerValue !== undefined)
      headers[to.headerName.toLowerCase()] = to.headerValue
    const body = {
      id: message.id,
      title: message.title,
      text: fitLines(bodyOf(message, noMarkup), MAX_TEXT).join('\n'),
      severity: message.severity,
      link: message.link,
      sentAt: isoTimestamp(message.at),
      alerts: message.alerts.map((alert) => ({ ...alertJson(alert), link: message.linkOf(alert) })),
    }
    return postJson(to.url, body, { label: 'Webhook', ...delivery, headers })
  },
})

/** Programs escape what they show. Control characters, which would reach a terminal or a log, are left out. */
function alertJson({ id, kind, subject, target, reason, monitorId, incidentId, at, notes, summary }: Alert) {
  return {
    id,
    kind,
    subject: stripControls(subject),
    target: target && stripControls(target),
    reason: reason && stripControls(englishText(reason)),
    monitorId,
    incidentId,
    at: isoTimestamp(at),
    ...(notes && {
      notes: {
        ...(notes.runbookUrl !== undefined && { runbookUrl: stripControls(notes.runbookUrl) }),
        ...(notes.text !== undefined && { text: stripControls(notes.text) }),
      },
    }),
    ...(summary && { summary: summary.map((sentence) => stripControls(englishText(sentence))) }),
  }
}
