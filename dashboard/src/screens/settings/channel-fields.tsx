import { t, tx } from '../../lib/i18n.ts'
import { capital, fieldLabel } from '../../lib/labels.ts'
import { TextField } from '../../ui/form.tsx'

/** The parts of a setting's JSON Schema that the form uses. */
interface Property {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly writeOnly?: boolean
  readonly destination?: boolean
}

export type Schema = Readonly<Record<string, unknown>>
type SavedSettings = Readonly<Record<string, unknown>>
export type Values = Readonly<Record<string, string>>

interface ChannelFieldsProps {
  readonly schema: Schema
  /** Stored settings, without the values of secrets. */
  readonly kept?: SavedSettings
  readonly value: Values
  readonly onValue: (values: Values) => void
}

/** A field per setting of a channel; optional ones are collapsed. */
export function ChannelFields({ schema, kept = {}, value: values, onValue }: ChannelFieldsProps) {
  const all = Object.entries(propertiesOf(schema))
  const needed = new Set(requiredOf(schema))
  const [first, more] = [all.filter(([name]) => needed.has(name)), all.filter(([name]) => !needed.has(name))]
  const isMoved = isAddressChanged(schema, kept, values)
  const field = ([name, property]: [string, Property]) => (
    <SettingField
      key={name}
      name={name}
      property={property}
      isNeeded={needed.has(name)}
      isKept={property.writeOnly === true && kept[name] !== undefined}
      mustReenter={isMoved && property.destination !== true}
      value={values[name] ?? ''}
      onValue={(value) => onValue({ ...values, [name]: value })}
    />
  )
  return (
    <>
      {first.map(field)}
      {more.length > 0 && (
        <details
          class="rounded-md border border-line px-3 py-1"
          open={isMoved && more.some(([name, { writeOnly }]) => writeOnly && kept[name] !== undefined)}
        >
          <summary class="touch cursor-pointer py-1">{tx('More settings ({length})', { length: more.length })}</summary>
          <div class="space-y-4 pt-2 pb-3">{more.map(field)}</div>
        </details>
      )}
    </>
  )
}

interface SettingFieldProps {
  readonly name: string
  readonly property: Property
  readonly isNeeded: boolean
  /** A secret is stored, which an empty field keeps. */
  readonly isKept: boolean
  /** The address was changed, so the stored secret has to be entered again. */
  readonly mustReenter: boolean
  readonly value: string
  readonly onValue: (value: string) => void
}

function SettingField({ name, property, isNeeded, isKept, mustReenter, value, onValue }: SettingFieldProps) {
  const isNumber = property.type === 'integer' || property.type === 'number'
  const secretHint = isKept
    ? mustReenter
      ? t('Enter it again because the address changes')
      : t('Leave empty to keep the current value')
    : t('Stored encrypted and not shown again')
  const help = [capital(property.description ?? ''), property.writeOnly ? secretHint : '']
  return (
    <TextField
      label={isNeeded ? labelOf(name) : t('{name} (optional)', { name: labelOf(name) })}
      path={`settings.${name}`}
      hint={help.filter((part) => part !== '').join('. ')}
      type={isNumber ? 'number' : property.destination ? 'url' : 'text'}
      autocomplete="off"
      required={isNeeded && !isKept}
      placeholder={isKept ? STORED_SECRET : property.default === undefined ? undefined : String(property.default)}
      min={property.minimum}
      max={property.maximum}
      maxLength={property.maxLength}
      value={value}
      onValue={onValue}
    />
  )
}

/** Form values converted to the schema's types, without empty ones. */
export function settingsOf(schema: Schema, values: Values): Record<string, unknown> {
  const properties = propertiesOf(schema)
  const written = Object.entries(values).filter(([name, value]) => value !== '' && properties[name] !== undefined)
  return Object.fromEntries(
    written.map(([name, value]) => [
      name,
      /^(integer|number)$/.test(properties[name]?.type ?? '') ? Number(value) : value,
    ]),
  )
}

/** Without secrets. */
export function openValues(schema: Schema, values: Values): Values {
  const properties = propertiesOf(schema)
  return Object.fromEntries(Object.entries(values).filter(([name]) => properties[name]?.writeOnly !== true))
}

/** Shown in place of a secret, which the server does not return. */
export const STORED_SECRET = '••••••••'

/** Settings as text. Until the schema is loaded nothing is known to be a secret, so nothing is shown. */
export function shownSettings(schema: Schema, kept: SavedSettings): Readonly<Record<string, string>> {
  const properties = propertiesOf(schema)
  const known = Object.entries(kept).filter(([name]) => properties[name] !== undefined)
  return Object.fromEntries(
    known.map(([name, value]) => [name, properties[name]?.writeOnly ? STORED_SECRET : String(value)]),
  )
}

/** Initial values: stored settings without secrets. */
export function knownValues(schema: Schema, kept: SavedSettings): Values {
  const properties = propertiesOf(schema)
  const open = Object.entries(kept).filter(([name]) => properties[name]?.writeOnly !== true)
  return Object.fromEntries(open.map(([name, value]) => [name, String(value)]))
}

/** Changed settings; null for cleared ones. An empty secret is unchanged. */
export function changesOf(schema: Schema, kept: SavedSettings, values: Values): Record<string, unknown> {
  const before = knownValues(schema, kept)
  const emptied = Object.keys(before).filter((name) => values[name] === '')
  const changed = Object.entries(settingsOf(schema, values)).filter(([name]) => values[name] !== before[name])
  return { ...Object.fromEntries(changed), ...Object.fromEntries(emptied.map((name) => [name, null])) }
}

/** Whether secrets would be sent elsewhere than now. A secret address is changed when something is entered. */
function isAddressChanged(schema: Schema, kept: SavedSettings, values: Values): boolean {
  const before = knownValues(schema, kept)
  return Object.entries(propertiesOf(schema)).some(([name, property]) => {
    if (property.destination !== true || kept[name] === undefined) return false
    const value = values[name] ?? ''
    return property.writeOnly ? value !== '' : (value || String(property.default ?? '')) !== before[name]
  })
}

function propertiesOf({ properties = {}, destinations = [] }: Schema): Readonly<Record<string, Property>> {
  const known = Object.entries(properties as Record<string, Property>)
  return Object.fromEntries(
    known.map(([name, property]) => [name, { ...property, destination: (destinations as string[]).includes(name) }]),
  )
}

function requiredOf(schema: Schema): readonly string[] {
  const properties = propertiesOf(schema)
  const named = (schema.required ?? []) as readonly string[]
  // Settings with a default are optional.
  return named.filter((name) => properties[name]?.default === undefined)
}

/** "webhookUrl" reads "Webhook URL". */
export function labelOf(name: string): string {
  return capital(fieldLabel(name))
}
