import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { cut } from '../../../lib/text.ts'
import { texts } from '../message.ts'
import { fit } from '../text.ts'
import { address, channel, optional, text, token, under } from './channel.ts'
import { deliver, jsonLetter } from './reply.ts'

/** Pushover's bounds. */
const TITLE = 250
const MESSAGE = 1024
const LINK = 512

const EMERGENCY = 2
/** An emergency is repeated until somebody takes note, which Pushover wants to be told how often and for how long. */
const insistence = { retry: 60, expire: 3600 }

const KEY = { form: '^[A-Za-z0-9]{30}$', must: 'must be 30 letters and digits' }

export const pushover = channel({
  label: 'Pushover',
  settings: {
    appToken: token('the API token of an application', KEY),
    userKey: token('the key of a user or group', KEY),
    device: optional(
      text('the name of one device, to reach that alone', {
        form: '^[A-Za-z0-9_-]{1,25}$',
        must: 'must be 1 to 25 letters, digits, "-" or "_"',
      }),
    ),
    priority: defaulted(Type.Integer({ minimum: -2, maximum: 2, description: 'of an outage' }), 1),
    apiUrl: defaulted(address('where the API is'), 'https://api.pushover.net'),
  },
  send({ to, message, ...delivery }) {
    const priority = message.severity === 'critical' ? to.priority : Math.min(to.priority, 0)
    const body = {
      token: to.appToken,
      user: to.userKey,
      ...(to.device === undefined ? {} : { device: to.device }),
      title: cut(message.title, TITLE),
      message: fit(texts(message), MESSAGE).join('\n'),
      ...(message.link.length > LINK ? {} : { url: message.link, url_title: 'Open in Pharos' }),
      priority,
      ...(priority === EMERGENCY ? insistence : {}),
      timestamp: Math.floor(message.at / 1000),
    }
    return deliver({ label: 'Pushover', ...delivery }, jsonLetter(under(to.apiUrl, '/1/messages.json'), body))
  },
})
