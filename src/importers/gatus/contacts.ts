import { boundedName } from '../bounds.ts'
import type { Collection, SourceObject } from '../collection.ts'
import { objectIn, objectsIn, withoutEmpty } from '../json-files.ts'
import { text, type Yaml } from './values.ts'

/** A contact that a provider becomes: its channel and settings. */
interface Mapped {
  readonly channel: string
  readonly settings: readonly Yaml[]
  readonly losses?: readonly string[]
}

const one = (channel: string, settings: Yaml): Mapped => ({ channel, settings: [withoutEmpty(settings)] })

const number = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** The providers that have a channel here. */
const providers: Readonly<Record<string, (settings: Yaml) => Mapped>> = {
  slack: (given) => one('SLACK', { webhookUrl: text(given['webhook-url']) }),
  discord: (given) => one('DISCORD', { webhookUrl: text(given['webhook-url']) }),
  'teams-workflows': (given) => one('TEAMS', { webhookUrl: text(given['webhook-url']) }),
  teams: (given) => ({
    ...one('TEAMS', { webhookUrl: text(given['webhook-url']) }),
    losses: ['Microsoft ends connectors: create a workflow in Teams, and use its URL.'],
  }),
  email: mails,
  'aws-ses': mails,
  sendgrid: mails,
  pagerduty: (given) => one('PAGERDUTY', { routingKey: text(given['integration-key']) }),
  opsgenie: (given) => one('OPSGENIE', { apiKey: text(given['api-key']) }),
  telegram: (given) =>
    one('TELEGRAM', {
      botToken: text(given.token),
      chatId: text(given.id),
      threadId: Number(given['topic-id']) > 0 ? Number(given['topic-id']) : undefined,
      apiUrl: text(given['api-url']),
    }),
  ntfy: (given) =>
    one('NTFY', {
      topic: text(given.topic),
      server: text(given.url),
      token: text(given.token),
      priority: number(given.priority),
    }),
  gotify: (given) =>
    one('GOTIFY', {
      server: text(given['server-url']),
      token: text(given.token),
      priority: number(given.priority),
    }),
  pushover: (given) =>
    one('PUSHOVER', {
      appToken: text(given['application-token']),
      userKey: text(given['user-key']),
      device: text(given.device),
      priority: number(given.priority),
    }),
  custom: customWebhook,
}

function mails({ to }: Yaml): Mapped {
  const addresses = text(to)
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)
  return {
    channel: 'EMAIL',
    settings: addresses.map((address) => ({ address })),
    losses: ['Its mail server is not taken over: e-mails are sent by that of Pharos.'],
  }
}

/** A webhook contact has one header of its own. */
function customWebhook(given: Yaml): Mapped {
  const headers = Object.entries(objectIn(given.headers)).filter(([name]) => name.toLowerCase() !== 'content-type')
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
  const providersIn = Object.entries(alerting).flatMap(([type, settings]): Provider[] => {
    const given = objectIn(settings)
    const overrides = objectsIn(given.overrides)
    const users = endpoints.filter(({ types }) => types.includes(type))
    const special = (group: string) => overrides.some((one) => text(one.group) === group)
    const own = overrides.map((one) => {
      const covered = users.filter(({ group }) => group === text(one.group))
      return { type, sourceId: `${type}/${text(one.group)}`, given: { ...given, ...one }, covered }
    })
    return [{ type, sourceId: type, given, covered: users.filter(({ group }) => !special(group)) }, ...own]
  })
  const providerObject = ({ sourceId }: Provider) => ({ kind: 'alerting provider', sourceId, name: sourceId })
  collection.readEach(providersIn, providerObject, (provider, object) => addContact(collection, object, provider))
}

/** A provider with its settings for all groups, or for one. */
interface Provider {
  readonly type: string
  readonly sourceId: string
  readonly given: Yaml
  readonly covered: readonly Imported[]
}

function addContact(collection: Collection, object: SourceObject, { type, sourceId, given, covered }: Provider): void {
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
