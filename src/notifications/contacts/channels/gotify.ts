import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Gotify sets no bound; a phone does. */
const MESSAGE = 8000
const USUAL_PRIORITY = 4

export const gotify = channel({
  label: 'Gotify',
  settings: {
    server: address('the server'),
    token: token('the token of an application'),
    priority: defaulted(Type.Integer({ minimum: 0, maximum: 10, description: 'of an outage' }), 8),
  },
  send({ to, message, ...delivery }) {
    const body = {
      title: message.title,
      message: fit(texts(message), MESSAGE).join('\n'),
      priority: message.severity === 'critical' ? to.priority : Math.min(to.priority, USUAL_PRIORITY),
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: message.link } },
      },
    }
    const letter = jsonLetter(under(to.server, '/message'), body, { 'x-gotify-key': to.token })
    return deliver({ label: 'Gotify', ...delivery }, letter)
  },
})
