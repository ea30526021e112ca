import type { Fields } from '../../configuration/kinds/fields.ts'
import { boundedName } from '../bounds.ts'
import type { Collection } from '../collection.ts'
import { MONITOR } from './monitors.ts'
import { contactId, type RobotContact, type RobotMonitor } from './objects.ts'

export const CONTACT = 'alert contact'

const OWN_APP =
  'UptimeRobot sends with an app of its own, whose token is not in the answer. Create the contact with your own token.'

/** The channel and its settings, or why there are none. */
const channels: Readonly<Record<string, ((value: string) => Fields) | string>> = {
  EMAIL: (address) => ({ channel: 'EMAIL', settings: { address } }),
  SLACK: (webhookUrl) => ({ channel: 'SLACK', settings: { webhookUrl } }),
  TEAMS: (webhookUrl) => ({ channel: 'TEAMS', settings: { webhookUrl } }),
  MS_TEAMS: (webhookUrl) => ({ channel: 'TEAMS', settings: { webhookUrl } }),
  DISCORD: (webhookUrl) => ({ channel: 'DISCORD', settings: { webhookUrl } }),
  WEBHOOK: (url) => ({ channel: 'WEBHOOK', settings: { url } }),
  PAGERDUTY: (routingKey) => ({ channel: 'PAGERDUTY', settings: { routingKey } }),
  OPSGENIE: (apiKey) => ({ channel: 'OPSGENIE', settings: { apiKey } }),
  PUSHOVER: OWN_APP,
  TELEGRAM: OWN_APP,
}

/** Adds a contact for the alerts of the monitors that name it. */
export function addContact(collection: Collection, contact: RobotContact, monitors: readonly RobotMonitor[]): void {
  const object = { kind: CONTACT, sourceId: contact.id, name: contact.name }
  const channel = channels[contact.type]
  if (!contact.isActive) collection.refuse(object, 'It was never activated.')
  else if (typeof channel === 'string') collection.refuse(object, channel)
  else if (channel === undefined)
    collection.refuse(object, `Pharos has no channel for contacts of the type ${contact.type}.`)
  else {
    const losses: string[] = []
    const own = monitors.filter(({ contacts }) => contacts.some(({ id }) => id === contactId(contact.id)))
    const fields = {
      name: boundedName(contact.name, contact.value, losses),
      ...channel(contact.value),
      covers: 'CHOSEN',
      monitors: own.flatMap(({ id }) => collection.keyOf(MONITOR, id) ?? []),
    }
    collection.map(object, 'contacts', fields, losses)
  }
}
