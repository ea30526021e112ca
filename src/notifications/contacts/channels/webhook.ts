import { isoTimestamp } from '../../../lib/timestamp.ts'
import { channel, optional, text, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

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
      severity: message.severity,
      link: message.link,
      sentAt: isoTimestamp(message.at),
      alerts: message.alerts.map((alert) => ({
        id: alert.id,
        kind: alert.kind,
        subject: alert.subject,
        target: alert.target,
        reason: alert.reason,
        monitorId: alert.monitorId,
        incidentId: alert.incidentId,
        at: isoTimestamp(alert.at),
        ...(alert.notes && { notes: alert.notes }),
        ...(alert.summary && { summary: alert.summary }),
      })),
    }
    return postJson(to.url, body, { label: 'Webhook', ...delivery, headers })
  },
})
