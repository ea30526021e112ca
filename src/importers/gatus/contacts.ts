import { boundedName } from '../bounds.ts'
import { createKeys } from '../keys.ts'
import type { ImportedObject } from '../result.ts'
import { mapOf, mapsIn, text, type Yaml } from './values.ts'

/** A contact that a provider becomes: its channel and settings. */
interface Mapped {
  readonly channel: string
  readonly settings: readonly Yaml[]
  readonly losses?: readonly string[]
}

const SMTP_LOSS = 'Its mail server is not taken over: e-mails are sent by that of Pharos.'

const recipients = ({ to }: Yaml): Yaml[] =>
  text(to)
    .split(',')
    .map((address) => ({ address: address.trim() }))
    .filter(({ address }) => address !== '')
const webhook = (settings: Yaml) => [{ webhookUrl: text(settings['webhook-url']) }]

/** The providers that have a channel here. */
const providers: Readonly<Record<string, (settings: Yaml) => Mapped>> = {
  slack: (given) => ({ channel: 'SLACK', settings: webhook(given) }),
  discord: (given) => ({ channel: 'DISCORD', settings: webhook(given) }),
  'teams-workflows': (given) => ({ channel: 'TEAMS', settings: webhook(given) }),
  teams: (given) => ({
    channel: 'TEAMS',
    settings: webhook(given),
    losses: ['Microsoft ends connectors: create a workflow in Teams, and use its URL.'],
  }),
  email: (given) => ({ channel: 'EMAIL', settings: recipients(given), losses: [SMTP_LOSS] }),
  'aws-ses': (given) => ({ channel: 'EMAIL', settings: recipients(given), losses: [SMTP_LOSS] }),
  sendgrid: (given) => ({ channel: 'EMAIL', settings: recipients(given), losses: [SMTP_LOSS] }),
  pagerduty: (given) => ({ channel: 'PAGERDUTY', settings: [{ routingKey: text(given['integration-key']) }] }),
  opsgenie: (given) => ({ channel: 'OPSGENIE', settings: [{ apiKey: text(given['api-key']) }] }),
  telegram: (given) => ({
    channel: 'TELEGRAM',
    settings: [
      {
        botToken: text(given.token),
        chatId: text(given.id),
        ...(Number(given['topic-id']) > 0 && { threadId: Number(given['topic-id']) }),
        ...optional('apiUrl', given['api-url']),
      },
    ],
  }),
  ntfy: (given) => ({
    channel: 'NTFY',
    settings: [
      {
        topic: text(given.topic),
        ...optional('server', given.url),
        ...optional('token', given.token),
        ...(typeof given.priority === 'number' && { priority: given.priority }),
      },
    ],
  }),
  gotify: (given) => ({
    channel: 'GOTIFY',
    settings: [
      {
        server: text(given['server-url']),
        token: text(given.token),
        ...(typeof given.priority === 'number' && { priority: given.priority }),
      },
    ],
  }),
  pushover: (given) => ({
    channel: 'PUSHOVER',
    settings: [
      {
        appToken: text(given['application-token']),
        userKey: text(given['user-key']),
        ...optional('device', given.device),
        ...(typeof given.priority === 'number' && { priority: given.priority }),
      },
    ],
  }),
  custom: customWebhook,
}

function optional(name: string, value: unknown): Yaml {
  return text(value) === '' ? {} : { [name]: text(value) }
}

/** A webhook contact has one header of its own. */
function customWebhook(given: Yaml): Mapped {
  const headers = Object.entries(mapOf(given.headers)).filter(([name]) => name.toLowerCase() !== 'content-type')
  const [header, ...others] = headers
  const bearer = header?.[0].toLowerCase() === 'authorization' ? /^Bearer (.+)$/.exec(text(header[1]))?.[1] : undefined
  const sent =
    bearer !== undefined ? { token: bearer } : header && { headerName: header[0], headerValue: text(header[1]) }
  return {
    channel: 'WEBHOOK',
    settings: [{ url: text(given.url), ...sent }],
    losses: [
      'Its method and body are lost: Pharos posts JSON of its own form.',
      ...others.map(([name]) => `Its header ${name} is lost: a webhook contact has one.`),
    ],
  }
}

/** An endpoint that alerts, and the key of its monitor. */
export interface Alerting {
  readonly key: string
  readonly group: string
  readonly types: readonly string[]
}

/** The providers of `alerting` as contacts. Each gets the alerts of the endpoints that name it. */
export function readContacts(alerting: Yaml, endpoints: readonly Alerting[]) {
  const keyOf = createKeys('contact')
  const contacts: Record<string, object> = {}
  const objects: ImportedObject[] = []
  for (const [type, settings] of Object.entries(alerting)) {
    const given = mapOf(settings)
    const overrides = mapsIn(given.overrides)
    const users = endpoints.filter(({ types }) => types.includes(type))
    const special = (group: string) => overrides.some((one) => text(one.group) === group)
    const variants = [
      { sourceId: type, settings: given, users: users.filter(({ group }) => !special(group)) },
      ...overrides.map((one) => ({
        sourceId: `${type}/${text(one.group)}`,
        settings: { ...given, ...one },
        users: users.filter(({ group }) => group === text(one.group)),
      })),
    ]
    for (const { sourceId, settings: own, users: covered } of variants) {
      const object = { kind: 'alerting provider', sourceId, name: sourceId }
      const make = Object.hasOwn(providers, type) ? providers[type] : undefined
      if (make === undefined) {
        const used =
          covered.length === 0
            ? ''
            : ` ${covered.length === 1 ? '1 endpoint uses' : `${covered.length} endpoints use`} it.`
        const reason = `There is no channel for ${type}: use a webhook contact, or another channel.${used}`
        objects.push({ ...object, outcome: 'NOT_SUPPORTED', losses: [], reason })
        continue
      }
      const { channel, settings: targets, losses = [] } = make(own)
      const keys = targets.map((target, i) => {
        const key = keyOf(i === 0 ? sourceId : `${sourceId}-${text(target.address)}`)
        const name = targets.length === 1 ? sourceId : `${sourceId} ${text(target.address)}`
        contacts[key] = {
          name: boundedName(name, type, []),
          channel,
          settings: target,
          covers: 'CHOSEN',
          monitors: covered.map((one) => one.key),
          disabledAtFirst: true,
        }
        return key
      })
      if (keys.length === 0)
        objects.push({ ...object, outcome: 'NOT_SUPPORTED', losses: [], reason: 'It has no recipient.' })
      else objects.push({ ...object, outcome: 'MAPPED', key: `contacts.${keys[0]}`, losses: [...losses] })
    }
  }
  return { contacts, objects }
}
