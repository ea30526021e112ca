import Type from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { body } from '../../contract/schema.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { parseTimeZone } from '../../lib/time-zone.ts'
import { type ChannelName, channelNames } from '../../notifications/contacts/channels/index.ts'
import { ALL_MONITORS, coverageAfter } from '../../notifications/contacts/coverage.ts'
import { createContact } from '../../notifications/contacts/create.ts'
import { kindNamed, nameOfKind, parseKinds, storedKinds } from '../../notifications/contacts/kinds.ts'
import { checkSettings, marked, openSettings, type Settings } from '../../notifications/contacts/settings.ts'
import { execute, q } from '../../storage/query.ts'
import type { Coverage } from '../../storage/schema/contacts.ts'
import {
  check,
  checkBody,
  type Fields,
  faultsOf,
  jsonSchemaOf,
  pick,
  withoutDefaults,
  withProperties,
} from './fields.ts'
import type { Call, KindDefinition } from './kind.ts'

const MAX_MONITORS = 20_000

const monitorList = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_MONITORS, description, ...uniqueItems }))

const Inline = body('ConfigurationContact', {
  monitors: monitorList('With `covers: CHOSEN`: the monitors whose alerts it gets'),
  exceptMonitors: monitorList('With `covers: ALL`: the monitors whose alerts it does not get'),
  disabledAtFirst: Type.Optional(
    Type.Boolean({
      description:
        'It is created disabled, and `finish-import` enables it. Enabling and disabling by hand is left alone. No effect with `enabled: false`.',
    }),
  ),
})

const listNames = ['monitors', 'exceptMonitors'] as const

/** The list that a contact may have, by what it covers. Labels decide alone. */
const listOf: Readonly<Record<Coverage, (typeof listNames)[number] | undefined>> = {
  CHOSEN: 'monitors',
  ALL: 'exceptMonitors',
  LABELS: undefined,
}

const CreateContact = createContact.body as Type.TObject

/** A contact with the monitors that it is attached to, or detached from. `enabled` is undefined if it is disabled only at first. */
export const contacts: KindDefinition = {
  noun: 'contact',
  table: 'contacts',
  nameColumn: 'name',
  idPrefix: 'con_',
  path: '/contacts/:contactId',
  param: 'contactId',
  schema: withProperties(jsonSchemaOf(CreateContact), jsonSchemaOf(Inline).properties ?? {}),

  read(entry, installation) {
    const { monitors = [], exceptMonitors = [], disabledAtFirst = false, ...others } = entry
    const created = checkBody(createContact, others, installation)
    const inline = check(Inline, { monitors, exceptMonitors, disabledAtFirst }, () =>
      listNames.flatMap((name) => duplicateFaults(name, entry[name], MAX_MONITORS)),
    )
    const faults = [...faultsOf(created), ...faultsOf(inline), ...coverFaults(entry)]
    if (!('value' in created && 'value' in inline) || faults.length > 0) return { faults }
    const { channel, settings, kinds, covers, selector, ...rest } = created.value
    const name = channel as ChannelName
    const checked = checkSettings(name, settings, installation.webhooks.policy)
    const covered = coverageAfter(ALL_MONITORS, { covers, selector } as Parameters<typeof coverageAfter>[1])
    if (!('value' in checked && 'value' in covered)) return { faults: [] }
    const chosen = kinds && storedKinds(name, (kinds as Parameters<typeof kindNamed>[0][]).map(kindNamed))
    const timezone = rest.timezone === null ? null : parseTimeZone(rest.timezone as string)
    const fields = { ...rest, timezone, channel, settings: checked.value, kinds: kindsOf(chosen as string | undefined) }
    const { disabledAtFirst: isDisabledAtFirst, ...lists } = inline.value
    const isKept = isDisabledAtFirst === true && rest.enabled === true
    return { fields: { ...fields, ...covered.value, ...lists, ...(isKept && { enabled: undefined }) } }
  },

  write({ kinds, selector, monitors, exceptMonitors, ...others }) {
    const lists = Object.entries({ monitors, exceptMonitors }).filter(([, list]) => (list as string[]).length > 0)
    return {
      ...withoutDefaults(others, CreateContact),
      ...(kinds !== null && { kinds }),
      ...(selector !== null && { selector }),
      ...Object.fromEntries(lists),
      ...(others.enabled === undefined && { disabledAtFirst: true }),
    }
  },

  /** In order, because the order of the monitors has no meaning and is not stored. */
  mapReferences(fields, map) {
    const mapList = (name: (typeof listNames)[number]) =>
      (fields[name] as readonly string[]).map((reference, i) => map('monitors', reference, `${name}.${i}`)).sort()
    return { ...fields, monitors: mapList('monitors'), exceptMonitors: mapList('exceptMonitors') }
  },

  mapSecrets(fields, map) {
    const settings: Record<string, unknown> = { ...(fields.settings as Settings) }
    for (const [name, { secret }] of marked(fields.channel as ChannelName)) {
      const value = settings[name]
      if (secret === true && typeof value === 'string') settings[name] = map(value, `settings.${name}`)
    }
    return { ...fields, settings }
  },

  /** Those of the settings depend on the channel. */
  memberNames({ channel }, path) {
    const name = channelNames.find((known) => known === channel)
    return name === undefined || path !== 'settings' ? [] : marked(name).map(([setting]) => setting)
  },

  keptFields: ['enabled'],
  shownNulls: { kinds: 'all kinds' },
  fixedFields: ['channel'],

  *load({ orgId, installation: { sealer } }, ids) {
    const rows = yield* execute(q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', 'in', ids))
    const exceptions = yield* execute(
      q
        .selectFrom('contact_exceptions as e')
        .innerJoin('monitors as m', 'm.num', 'e.monitor_num')
        .select(['e.contact_id', 'm.id'])
        .where('e.org_id', '=', orgId)
        .where('e.contact_id', 'in', ids),
    )
    const listed = Map.groupBy(exceptions, ({ contact_id: contactId }) => contactId)
    return rows.map((row) => {
      const monitorIds = (listed.get(row.id) ?? []).map(({ id }) => id).sort()
      const listName = listOf[row.covers]
      const fields = {
        name: row.name,
        channel: row.channel,
        settings: openSettings(row, sealer),
        kinds: kindsOf(row.kinds),
        covers: row.covers,
        selector: row.selector,
        language: row.language,
        timezone: row.timezone,
        enabled: row.enabled === 1,
        monitors: listName === 'monitors' ? monitorIds : [],
        exceptMonitors: listName === 'exceptMonitors' ? monitorIds : [],
      }
      return { id: row.id, name: row.name, fields }
    })
  },

  create({ monitors, exceptMonitors, kinds, enabled = false, ...others }) {
    const contact = { ...others, enabled, ...(kinds !== null && { kinds }) }
    return [{ operation: 'createContact', body: contact }, ...attachments({}, { monitors, exceptMonitors })]
  },

  update(before, after, changed) {
    const given = pick(
      after,
      ['name', 'kinds', 'covers', 'selector', 'language', 'timezone'].filter((name) => changed.has(name)),
    )
    const patch = { ...given, ...(changed.has('settings') && { settings: settingsPatch(before, after) }) }
    // A change of what it covers forgets the monitors.
    const [from, to] = [changed.has('covers') ? {} : before, after]
    return [
      ...(Object.keys(patch).length > 0 ? [{ operation: 'updateContact', body: patch }] : []),
      ...attachments(from, to),
      ...(changed.has('enabled') ? [{ operation: after.enabled === true ? 'enableContact' : 'disableContact' }] : []),
    ]
  },

  remove: 'deleteContact',
}

/** Null: all kinds, also those of later versions. Some channels need more kinds than were chosen. */
function kindsOf(stored: string | undefined): readonly string[] | null {
  return stored === undefined || stored === '*' ? null : parseKinds(stored).map(nameOfKind)
}

function coverFaults({ covers = 'ALL', ...entry }: Fields): Fault[] {
  return listNames.flatMap((path): Fault[] => {
    const needed = path === 'monitors' ? 'CHOSEN' : 'ALL'
    return entry[path] === undefined || covers === needed
      ? []
      : [{ path, message: `is allowed only if covers is ${needed}` }]
  })
}

/** An update merges settings: null removes what the document no longer has. */
function settingsPatch(before: Fields, after: Fields): Fields {
  const removed = Object.keys(before.settings as Settings).map((name) => [name, null])
  return { ...Object.fromEntries(removed), ...(after.settings as Settings) }
}

/** A monitor is attached to a contact with CHOSEN, and detached from one with ALL. */
function attachments(before: Fields, after: Fields): Call[] {
  return listNames.flatMap((name) => {
    const [old, wanted] = [new Set(listIn(before, name)), new Set(listIn(after, name))]
    const call = (monitorId: string, isAttached: boolean): Call => ({
      operation: isAttached ? 'attachContact' : 'detachContact',
      params: (contactId) => ({ monitorId, contactId }),
    })
    const isChosen = name === 'monitors'
    return [
      ...[...wanted.difference(old)].map((id) => call(id, isChosen)),
      ...[...old.difference(wanted)].map((id) => call(id, !isChosen)),
    ]
  })
}

function listIn(fields: Fields, name: string): readonly string[] {
  return (fields[name] ?? []) as readonly string[]
}
