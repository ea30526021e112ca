import { ApiError, type Fault } from '../contract/errors.ts'
import { monitorNumOf, setAttached } from '../notifications/contacts/attach.ts'
import { type ChannelName, channelNames, isChannelName } from '../notifications/contacts/channels/index.ts'
import { insertContact } from '../notifications/contacts/create.ts'
import { disableContactRow, enableContactRow } from '../notifications/contacts/enable.ts'
import { contactsOf, organizationName } from '../notifications/contacts/queries.ts'
import { removeContact as dropContact } from '../notifications/contacts/remove.ts'
import { renderContact } from '../notifications/contacts/render.ts'
import { checkSettings } from '../notifications/contacts/settings.ts'
import { recordTest, sendTest } from '../notifications/contacts/test.ts'
import { type AlertKind, alertKinds } from '../notifications/contacts/types.ts'
import { type ContactChange, changeContact } from '../notifications/contacts/update.ts'
import { parseAddressPolicy } from '../outbound/address-policy.ts'
import { openTransports } from '../server/workers/alerts.ts'
import { constant } from '../storage/query.ts'
import type { Coverage } from '../storage/schema/contacts.ts'
import { audited } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { baseUrlOf, CommandError, type DatabaseAction, displayTime, table, UsageError } from './command.ts'
import { askIfUnconfirmed } from './confirm-contacts.ts'
import { settingsFrom } from './contact-settings.ts'
import { contactAuditEntry, describeContact, requireContact, sealerOf } from './find-contact.ts'
import { requireName } from './input.ts'
import { requireOrganization } from './orgs.ts'

export const addContact: DatabaseAction = async (database, { options, repeated }, now, config) => {
  const name = requireName(options.name as string)
  const channel = (options.channel as string).toUpperCase()
  if (!isChannelName(channel)) {
    throw new UsageError(`Unknown channel "${options.channel}": use ${channelNames.join(', ').toLowerCase()}`)
  }
  const given = settingsFrom(channel, repeated.set ?? [], repeated['set-file'] ?? [])
  const kinds = kindsOf(options.kinds)
  const covers = coverageOf(options.monitors ?? 'all')
  const verdict = checkSettings(channel, given, parseAddressPolicy(config.privateWebhooks))
  if ('faults' in verdict) throw invalidSettings(verdict.faults)
  const org = await requireOrganization(database, options.org as string)
  const sealer = await sealerOf(database, config)
  const contact = { orgId: org.id, name, channel, settings: verdict.value, covers, ...(kinds && { kinds }) }
  const row = await database
    .write(() => audited(insertContact(contact, sealer, now), (added) => contactAuditEntry('add', added), now))
    .catch(toCommandError)
  const asked = await askIfUnconfirmed(database, row, config, now)
  return { text: `Added ${describeContact(row)}. ${asked.text}`, json: renderContact(asked.contact, config) }
}

export const updateAlertContact: DatabaseAction = async (database, { positionals, options, repeated }, now, config) => {
  const contact = await requireContact(database, positionals[0] as string)
  const { org_id: orgId, id } = contact
  const given = settingsFrom(contact.channel as ChannelName, repeated.set ?? [], repeated['set-file'] ?? [])
  const settings = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, value === '' ? null : value]))
  const kinds = options.kinds === 'all' ? null : kindsOf(options.kinds)
  const change: ContactChange = {
    ...(options.name !== undefined && { name: requireName(options.name) }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(kinds !== undefined && { kinds }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change: set --name, --set, --set-file or --kinds')
  const rules = { sealer: await sealerOf(database, config), policy: parseAddressPolicy(config.privateWebhooks) }
  const row = await database
    .write(() =>
      audited(changeContact(orgId, id, change, rules, now), (changed) => contactAuditEntry('update', changed), now),
    )
    .catch(toCommandError)
  const asked = await askIfUnconfirmed(database, row, config, now)
  return { text: `Updated ${describeContact(row)}. ${asked.text}`, json: renderContact(asked.contact, config) }
}

export const listContacts: DatabaseAction = async (database, { options }, _now, config) => {
  const org = await requireOrganization(database, options.org ?? 'default')
  const contacts = (await database.read(contactsOf(org.id))).map((row) => renderContact(row, config))
  const rows = contacts.map((contact) => [
    contact.id,
    contact.channel.toLowerCase(),
    statusOf(contact),
    contact.lastSentAt === null ? 'never' : displayTime(contact.lastSentAt),
    contact.name,
  ])
  return { text: table(['ID', 'CHANNEL', 'STATUS', 'LAST SENT', 'NAME'], rows), json: contacts }
}

export const showContact: DatabaseAction = async (database, { positionals }, _now, config) => {
  const contact = renderContact(await requireContact(database, positionals[0] as string), config)
  const facts: [string, string][] = [
    ['ID', contact.id],
    ['Name', contact.name],
    ['Channel', contact.channel.toLowerCase()],
    ...Object.entries(contact.settings).map(([name, value]): [string, string] => [`  ${name}`, String(value)]),
    ['Alerts', contact.kinds.length === alertKinds.length ? 'all' : contact.kinds.join(', ').toLowerCase()],
    ['Monitors', coverageText(contact)],
    ['Enabled', contact.enabled ? 'yes' : 'no'],
    ...(contact.confirmed ? [] : [['Address', waitingText(contact)] as [string, string]]),
    ['Last sent', contact.lastSentAt === null ? 'never' : displayTime(contact.lastSentAt)],
    ...(contact.failingSince === null
      ? []
      : [['Failing since', displayTime(contact.failingSince)] as [string, string]]),
    ...(contact.lastError === null ? [] : [['Last error', contact.lastError] as [string, string]]),
    ['Created', displayTime(contact.createdAt)],
  ]
  const width = Math.max(...facts.map(([name]) => name.length))
  return { text: facts.map(([name, value]) => `${name.padEnd(width)}  ${cleanLine(value)}`).join('\n'), json: contact }
}

export const testContact: DatabaseAction = async (database, { positionals }, now, config) => {
  const contact = await requireContact(database, positionals[0] as string)
  if (contact.confirmed === 0) {
    const advice = `open the link in the confirmation e-mail or run "pharos admin contacts confirm ${contact.id}"`
    throw new CommandError(`The address of ${describeContact(contact)} is waiting for confirmation; ${advice}`)
  }
  const sealer = await sealerOf(database, config)
  const baseUrl = baseUrlOf(config)
  const { transports, close } = openTransports(config)
  const organization = await database.read(organizationName(contact.org_id))
  const sent = await sendTest(contact, { transports, sealer, baseUrl, organization }, now).finally(close)
  await database.write(() => recordTest(contact, sent, now))
  return {
    text: sent.ok
      ? `Test message sent to ${describeContact(contact)}`
      : `Test message to ${describeContact(contact)} failed: ${sent.error}`,
    json: { id: contact.id, sent: sent.ok, error: sent.ok ? null : sent.error },
    exitCode: sent.ok ? 0 : 1,
  }
}

export const removeContact: DatabaseAction = async (database, { positionals }, now) => {
  const contact = await requireContact(database, positionals[0] as string)
  await dropContact(database, contact.org_id, contact.id, now)
  await database.write(() => audited(constant(contact), () => contactAuditEntry('remove', contact), now))
  return { text: `Removed ${describeContact(contact)}`, json: { id: contact.id } }
}

function switching(word: 'enable' | 'disable', change: typeof enableContactRow): DatabaseAction {
  return async (database, { positionals }, now, config) => {
    const { org_id: orgId, id } = await requireContact(database, positionals[0] as string)
    const contact =
      (await database.write(() =>
        audited(change(orgId, id, now), (changed) => changed && contactAuditEntry(word, changed), now),
      )) ?? (await requireContact(database, id))
    return {
      text: `${word === 'enable' ? 'Enabled' : 'Disabled'} ${describeContact(contact)}`,
      json: renderContact(contact, config),
    }
  }
}

export const enableAlertContact = switching('enable', enableContactRow)
export const disableAlertContact = switching('disable', disableContactRow)

function attaching(word: 'attach' | 'detach'): DatabaseAction {
  return async (database, { positionals }, now) => {
    const [id, monitorId] = positionals as [string, string]
    const contact = await requireContact(database, id)
    const num = await database.read(monitorNumOf(contact.org_id, monitorId))
    if (num === undefined) throw new CommandError(`Monitor "${monitorId}" not found in the organization of the contact`)
    await database.write(() =>
      audited(setAttached(contact.org_id, id, num, word === 'attach'), () => contactAuditEntry(word, contact), now),
    )
    const text = `${describeContact(contact)} ${word === 'attach' ? 'now gets' : 'no longer gets'} alerts for ${monitorId}`
    return { text, json: { id, monitorId, attached: word === 'attach' } }
  }
}

export const attachContact = attaching('attach')
export const detachContact = attaching('detach')

type RenderedContact = ReturnType<typeof renderContact>

function statusOf({ problem }: RenderedContact): string {
  return problem === null ? 'ok' : problemWords[problem]
}

const problemWords = {
  DISABLED: 'disabled',
  NOT_CONFIGURED: 'no mail server',
  UNCONFIRMED: 'waiting for confirmation',
  FAILING: 'failing',
} as const

function waitingText({ confirmationSentAt }: RenderedContact): string {
  const sent = confirmationSentAt === null ? 'e-mail not sent yet' : `e-mail sent ${displayTime(confirmationSentAt)}`
  return `waiting for confirmation, no alerts until then (${sent})`
}

function kindsOf(text: string | undefined): readonly AlertKind[] | undefined {
  if (text === undefined) return undefined
  const named = text.split(',').map((kind) => kind.trim().toLowerCase())
  const unknown = named.find((name) => !alertKinds.some((kind) => kind === name))
  if (unknown === undefined) return named as AlertKind[]
  throw new UsageError(`Unknown alert type "${unknown}": use ${alertKinds.join(', ')}`)
}

function coverageOf(text: string): Coverage {
  if (text === 'all' || text === 'attached') return text === 'all' ? 'ALL' : 'CHOSEN'
  throw new UsageError(`--monitors must be all or attached, not "${text}"`)
}

function coverageText({ covers, selector }: ReturnType<typeof renderContact>): string {
  if (covers === 'LABELS') return `with the labels ${selector}`
  return covers === 'ALL' ? 'all except detached' : 'attached only'
}

function toCommandError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  throw error.details === undefined ? new CommandError(error.message) : invalidSettings(error.details)
}

function invalidSettings(faults: readonly Fault[]): UsageError {
  const sentences = faults.map(({ path, message }) => `${path.replace('settings.', '')} ${message}`)
  return new UsageError(`Invalid settings: ${sentences.join('; ')}`)
}
