import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import type { Severity } from '../message.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines, noMarkup, utf8Bytes } from '../text.ts'
import { channel, joinUrl, optional, text, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** ntfy turns longer messages into attachments. */
const MAX_MESSAGE_BYTES = 4096
/** The highest priority of messages other than outages. */
const NORMAL_PRIORITY = 3

const tags: Readonly<Record<Severity, string>> = {
  critical: 'rotating_light',
  warning: 'warning',
  good: 'white_check_mark',
  info: 'information_source',
}

export const ntfy = channel({
  label: 'ntfy',
  settings: {
    topic: text('topic', {
      form: '^[A-Za-z0-9_-]{1,64}$',
      must: 'must be 1 to 64 letters, digits, "-" or "_"',
    }),
    token: optional(token('access token, if the topic needs one')),
    priority: defaulted(Type.Integer({ minimum: 1, maximum: 5, description: 'priority of outages' }), 5),
    server: defaulted(url('server URL'), 'https://ntfy.sh'),
  },
  send({ to, message, ...delivery }) {
    const body = {
      topic: to.topic,
      title: message.title,
      message: fitLines(bodyOf(message, noMarkup), MAX_MESSAGE_BYTES, utf8Bytes).join('\n'),
      priority: message.severity === 'critical' ? to.priority : Math.min(to.priority, NORMAL_PRIORITY),
      tags: [tags[message.severity]],
      click: message.link,
    }
    const headers: Record<string, string> = to.token === undefined ? {} : { authorization: `Bearer ${to.token}` }
    return postJson(joinUrl(to.server, '/'), body, { label: 'ntfy', ...delivery, headers })
  },
})
