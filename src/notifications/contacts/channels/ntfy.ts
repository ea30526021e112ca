import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { type Severity, texts } from '../message.ts'
import { fit, utf8Bytes } from '../text.ts'
import { address, channel, optional, text, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** What is longer becomes an attachment, which nobody reads on a lock screen. */
const MESSAGE_BYTES = 4096
const USUAL_PRIORITY = 3

const tags: Readonly<Record<Severity, string>> = {
  critical: 'rotating_light',
  warning: 'warning',
  good: 'white_check_mark',
  info: 'information_source',
}

export const ntfy = channel({
  label: 'ntfy',
  settings: {
    topic: text('the topic to publish to', {
      form: '^[A-Za-z0-9_-]{1,64}$',
      must: 'must be 1 to 64 letters, digits, "-" or "_"',
    }),
    token: optional(token('an access token, where the topic needs one')),
    priority: defaulted(Type.Integer({ minimum: 1, maximum: 5, description: 'of an outage' }), 5),
    server: defaulted(address('the server'), 'https://ntfy.sh'),
  },
  send({ to, message, ...delivery }) {
    const body = {
      topic: to.topic,
      title: message.title,
      message: fit(texts(message), MESSAGE_BYTES, utf8Bytes).join('\n'),
      priority: message.severity === 'critical' ? to.priority : Math.min(to.priority, USUAL_PRIORITY),
      tags: [tags[message.severity]],
      click: message.link,
    }
    const headers: Record<string, string> = to.token === undefined ? {} : { authorization: `Bearer ${to.token}` }
    return deliver({ label: 'ntfy', ...delivery }, jsonLetter(under(to.server, '/'), body, headers))
  },
})
