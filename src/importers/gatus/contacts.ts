import { boundedName } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import { objectsIn } from '../json-files.ts'
import { mapOf, text, type Yaml } from './values.ts'

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

/** An endpoint that became a monitor. */
export interface Imported {
  /** Undefined if a plan would not accept the monitor. */
  readonly key: string | undefined
  readonly group: string
  /** The providers of its alerts. */
  readonly types: readonly string[]
}

export const LEFT_OUT = 'Monitors that were not imported are left out.'

/** The providers of `alerting` as contacts. Each gets the alerts of the endpoints that name it. */
export function addContacts(collection: Collection, alerting: Yaml, endpoints: readonly Imported[]): void {
  for (const [type, settings] of Object.entries(alerting)) {
    const given = mapOf(settings)
    const overrides = objectsIn(given.overrides)
    const users = endpoints.filter(({ types }) => types.includes(type))
    const special = (group: string) => overrides.some((one) => text(one.group) === group)
    const others = users.filter(({ group }) => !special(group))
    addContact(collection, type, type, given, others)
    for (const one of overrides) {
      const covered = users.filter(({ group }) => group === text(one.group))
      addContact(collection, type, `${type}/${text(one.group)}`, { ...given, ...one }, covered)
    }
  }
}

function addContact(
  collection: Collection,
  type: string,
  sourceId: string,
  given: Yaml,
  covered: readonly Imported[],
): void {
  const object = { kind: 'alerting provider', sourceId, name: sourceId }
  const make = Object.hasOwn(providers, type) ? providers[type] : undefined
  if (make === undefined) {
    const count = covered.length
    const used = count === 0 ? '' : ` ${count === 1 ? '1 endpoint uses' : `${count} endpoints use`} it.`
    collection.refuse(object, `There is no channel for ${type}: use a webhook contact, or another channel.${used}`)
    return
  }
  const { channel, settings: targets, losses: known = [] } = make(given)
  const losses = [...known]
  if (covered.some(({ key }) => key === undefined)) losses.push(LEFT_OUT)
  const monitors = covered.flatMap(({ key }) => key ?? [])
  const contacts = targets.map((settings, i) => {
    const recipient = text(settings.address)
    const name = boundedName(targets.length === 1 ? sourceId : `${sourceId} ${recipient}`, type, [])
    const identity = { sourceId: i === 0 ? sourceId : `${sourceId}-${recipient}` }
    return { recipient, identity, fields: { name, channel, settings, covers: 'CHOSEN', monitors } }
  })
  collection.mapContacts(object, contacts, losses)
}
