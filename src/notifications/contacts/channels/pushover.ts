import Type from 'typebox'
import { defaulted } from '../../../contract/schema.ts'
import { truncate } from '../../../lib/text.ts'
import { bodyOf } from '../message-body.ts'
import { fitLines, noMarkup } from '../text.ts'
import { channel, joinUrl, optional, text, token, url } from './channel.ts'
import { postJson } from './post-json.ts'

/** Pushover's limits. */
const MAX_TITLE = 250
const MAX_MESSAGE = 1024
const MAX_LINK = 512

const EMERGENCY = 2
/** Pushover repeats an emergency until it is acknowledged: every `retry` seconds, for `expire` seconds. */
const emergencyOptions = { retry: 60, expire: 3600 }

const KEY = { form: '^[A-Za-z0-9]{30}$', must: 'must be 30 letters and digits' }

export const pushover = channel({
  label: 'Pushover',
  settings: {
    appToken: token('API token of the application', KEY),
    userKey: token('user or group key', KEY),
    device: optional(
      text('device name, to notify only this device', {
        form: '^[A-Za-z0-9_-]{1,25}$',
        must: 'must be 1 to 25 letters, digits, "-" or "_"',
      }),
    ),
    priority: defaulted(Type.Integer({ minimum: -2, maximum: 2, description: 'priority of outages' }), 1),
    apiUrl: defaulted(url('URL of the API'), 'https://api.pushover.net'),
  },
  send({ to, message, ...delivery }) {
    const priority = message.severity === 'critical' ? to.priority : Math.min(to.priority, 0)
    const body = {
      token: to.appToken,
      user: to.userKey,
      ...(to.device === undefined ? {} : { device: to.device }),
      title: truncate(message.title, MAX_TITLE),
      message: fitLines(bodyOf(message, noMarkup), MAX_MESSAGE).join('\n'),
      ...(message.link.length > MAX_LINK ? {} : { url: message.link, url_title: message.words.text('open') }),
      priority,
      ...(priority === EMERGENCY ? emergencyOptions : {}),
      timestamp: Math.floor(message.at / 1000),
    }
    return postJson(joinUrl(to.apiUrl, '/1/messages.json'), body, { label: 'Pushover', ...delivery })
  },
})
