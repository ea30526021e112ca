import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines, noMarkup } from '../text.ts'
import { channel, joinUrl, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Gotify has no limit; more is not readable on a phone. */
const MAX_MESSAGE = 8000
/** The highest priority of messages other than outages. */
const NORMAL_PRIORITY = 4

export const gotify = channel({
  label: 'Gotify',
  settings: {
    server: url('server URL'),
    token: token('application token'),
    priority: defaulted(Type.Integer({ minimum: 0, maximum: 10, description: 'priority of outages' }), 8),
  },
  send({ to, message, ...delivery }) {
    const body = {
      title: message.title,
      message: fitLines(bodyOf(message, noMarkup), MAX_MESSAGE).join('\n'),
      priority: message.severity === 'critical' ? to.priority : Math.min(to.priority, NORMAL_PRIORITY),
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: message.link } },
      },
    }
    const headers = { 'x-gotify-key': to.token }
    return postJson(joinUrl(to.server, '/message'), body, { label: 'Gotify', ...delivery, headers })
  },
})
