import { isObject } from '../../lib/json.ts'
import { boundedName } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import { withoutEmpty } from '../json-files.ts'
import type { Groups } from './groups.ts'
import { MONITOR } from './monitors.ts'
import { isSet, jsonOf, numberOf, objectWith, type Row, type Tables, textOf } from './tables.ts'
import type { Fields } from './web.ts'

interface Channel {
  readonly channel: string
  /** Of each contact that the notification becomes. */
  readonly settings: readonly Fields[]
}

type Mapping = (config: Row, losses: string[]) => Channel

const one = (channel: string, settings: Fields): Channel => ({ channel, settings: [withoutEmpty(settings)] })

const mappings: Readonly<Record<string, Mapping>> = {
  smtp(config, losses) {
    const addresses = ['smtpTo', 'smtpCC', 'smtpBCC'].flatMap((name) => addressesIn(textOf(config, name)))
    const unique = [...new Set(addresses)]
    losses.push('Pharos sends through its own mail server, not through that of Uptime Kuma.')
    if (unique.length > 1) losses.push(`Each of the ${unique.length} recipients becomes a contact of its own.`)
    if (['customSubject', 'customBody'].some((name) => textOf(config, name) !== ''))
      losses.push('The subject and the text are those of Pharos.')
    return { channel: 'EMAIL', settings: unique.map((address) => ({ address })) }
  },
  slack(config, losses) {
    if (textOf(config, 'slackchannel') !== '')
      losses.push('Messages go to the channel of the webhook: another one is not kept.')
    return one('SLACK', { webhookUrl: textOf(config, 'slackwebhookURL') })
  },
  discord(config, losses) {
    if (textOf(config, 'discordPrefixMessage').includes('@')) losses.push('Nobody is mentioned in messages.')
    return one('DISCORD', { webhookUrl: textOf(config, 'discordWebhookUrl') })
  },
  telegram: (config) =>
    one('TELEGRAM', {
      botToken: textOf(config, 'telegramBotToken'),
      chatId: textOf(config, 'telegramChatID'),
      threadId: numberOf(config, 'telegramMessageThreadID'),
      apiUrl: textOf(config, 'telegramServerUrl'),
    }),
  webhook(config, losses) {
    losses.push('Messages have the format of Pharos.')
    return one('WEBHOOK', { url: textOf(config, 'webhookURL'), ...webhookHeader(config, losses) })
  },
  ntfy(config, losses) {
    if (textOf(config, 'ntfyAuthenticationMethod') === 'usernamePassword')
      losses.push('The login by user name and password is not kept: enter an access token.')
    return one('NTFY', {
      server: textOf(config, 'ntfyserverurl'),
      topic: textOf(config, 'ntfytopic'),
      token: textOf(config, 'ntfyaccesstoken'),
      priority: numberOf(config, 'ntfyPriority'),
    })
  },
  gotify: (config) =>
    one('GOTIFY', {
      server: textOf(config, 'gotifyserverurl'),
      token: textOf(config, 'gotifyapplicationToken'),
      priority: numberOf(config, 'gotifyPriority'),
    }),
  pushover: (config) =>
    one('PUSHOVER', {
      userKey: textOf(config, 'pushoveruserkey'),
      appToken: textOf(config, 'pushoverapptoken'),
      device: textOf(config, 'pushoverdevice'),
      priority: numberOf(config, 'pushoverpriority'),
    }),
  PagerDuty: (config) =>
    one('PAGERDUTY', {
      routingKey: textOf(config, 'pagerdutyIntegrationKey'),
      apiUrl: URL.parse(textOf(config, 'pagerdutyIntegrationUrl'))?.origin,
    }),
  Opsgenie: (config) =>
    one('OPSGENIE', {
      apiKey: textOf(config, 'opsgenieApiKey'),
      apiUrl: textOf(config, 'opsgenieRegion') === 'eu' ? 'https://api.eu.opsgenie.com' : '',
    }),
  teams: (config) => one('TEAMS', { webhookUrl: textOf(config, 'webhookUrl') }),
}

export function importContacts(
  collection: Collection,
  tables: Tables,
  domainKeys: ReadonlyMap<string, string | undefined>,
  groups: Groups,
): void {
  collection.readEach(tables.notification, objectWith('notification'), (row, object) => {
    const id = Number(object.sourceId)
    const config = jsonOf(row, 'config')
    const type = isObject(config) ? textOf(config, 'type') : ''
    const mapping = Object.hasOwn(mappings, type) ? mappings[type] : undefined
    if (!isObject(config)) collection.refuse(object, 'Its settings cannot be read.')
    else if (mapping === undefined) collection.refuse(object, `Pharos has no channel for ${type || 'it'}.`)
    else {
      const losses: string[] = []
      const name = boundedName(object.name, 'Unnamed contact', losses)
      const { channel, settings } = mapping(config, losses)
      const coverage = coverageOf(id, isSet(row, 'is_default'), collection, tables, domainKeys, groups)
      const isSplit = settings.length > 1
      const contacts = settings.map((own) => {
        const recipient = String(Object.values(own)[0])
        const title = isSplit ? boundedName(`${name} (${recipient})`, name, []) : name
        // The address is in the key, so that a recipient who is removed does not rename the others.
        const identity = { sourceId: isSplit ? `${id} ${recipient}` : object.sourceId, name }
        return { recipient, identity, fields: { name: title, channel, settings: own, ...coverage } }
      })
      collection.mapContacts(object, contacts, losses)
    }
  })
}

/** A default notification is attached to monitors that are created later. A group's notification is attached to its monitors. */
function coverageOf(
  id: number,
  isDefault: boolean,
  collection: Collection,
  tables: Tables,
  domainKeys: ReadonlyMap<string, string | undefined>,
  groups: Groups,
): Fields {
  const attached = new Set<string>()
  for (const link of tables.monitor_notification) {
    if (numberOf(link, 'notification_id') !== id) continue
    for (const monitorId of groups.monitorsIn(numberOf(link, 'monitor_id') ?? 0).map(String)) {
      for (const key of [collection.keyOf(MONITOR, monitorId), domainKeys.get(monitorId)]) {
        if (key !== undefined) attached.add(key)
      }
    }
  }
  if (!isDefault) return { covers: 'CHOSEN', monitors: [...attached] }
  const others = collection.monitors().filter((key) => !attached.has(key))
  return { covers: 'ALL', ...(others.length > 0 && { exceptMonitors: others }) }
}

/** `"Ops" <ops@example.com>, oncall@example.com` */
function addressesIn(list: string): string[] {
  return list
    .split(/[,;]/)
    .map((part) => (/<([^>]+)>/.exec(part)?.[1] ?? part).trim())
    .filter((address) => address !== '')
}

/** A contact sends a token or one header of its own. */
function webhookHeader(config: Row, losses: string[]): Fields {
  const text = textOf(config, 'webhookAdditionalHeaders').trim()
  if (text === '') return {}
  const headers = jsonOf(config, 'webhookAdditionalHeaders')
  const all = isObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)] as const) : []
  const bearer = all.find(([name, value]) => /^authorization$/i.test(name) && /^bearer /i.test(value))
  const [header, ...others] = all.filter((entry) => entry !== bearer)
  if (all.length === 0) losses.push('The additional headers cannot be read and are left out.')
  if (others.length > 0) losses.push(`Of the headers, ${others.map(([name]) => name).join(', ')} are left out.`)
  return {
    ...(bearer !== undefined && { token: bearer[1].slice('bearer '.length) }),
    ...(header !== undefined && { headerName: header[0], headerValue: header[1] }),
  }
}
