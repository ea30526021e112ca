import type { MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { harmlessHeaders } from '../../lib/harmless-headers.ts'
import { canonicalJson, parseStored } from '../../lib/json.ts'
import { MASK, maskValue, unmaskUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { secrecyOf } from '../../lib/secret-fields.ts'
import { legacyHash } from '../monitor-options/legacy-address.ts'
import { maskOptions, type OptionSecrets, unmaskOptions } from '../monitor-options/secrets.ts'
import type { MonitorPatch, MonitorSettings } from './schema.ts'

/** The fields of a monitor's settings that contain secrets, with their real values. */
type MonitorSecrets = Partial<MonitorSettings>

/** What the sealed text has. */
type StoredSecrets = MonitorSecrets & { readonly options?: OptionSecrets }

export interface SettingsOwner {
  readonly orgId: string
  readonly id: string
}

/** Settings and options as the monitor's row stores them: masked in the text that anybody may read, complete in the sealed text. */
export interface ProtectedSettings {
  readonly masked: MonitorSettings
  /** As JSON; null if there are none. */
  readonly options: string | null
  readonly secrets: string | null
  /** By which signals on the old address find the monitor; null if it has none. */
  readonly legacyHash: string | null
}

export function protectSettings(
  settings: MonitorSettings,
  owner: SettingsOwner,
  sealer: Sealer,
  given: MonitorOptions = {},
): ProtectedSettings {
  const masked = maskSettings(settings)
  const hidden = Object.entries(settings).filter(([field, value]) => {
    const shown = masked[field as keyof MonitorSettings]
    return shown !== value && canonicalJson(shown) !== canonicalJson(value)
  })
  const { masked: maskedOptions, secrets: optionSecrets } = maskOptions(given)
  const options = Object.keys(maskedOptions).length === 0 ? null : JSON.stringify(maskedOptions)
  const hash = given.legacyAddress === undefined ? null : legacyHash(given.legacyAddress)
  if (hidden.length === 0 && optionSecrets === undefined) return { masked, options, secrets: null, legacyHash: hash }
  const secrets: StoredSecrets = { ...Object.fromEntries(hidden), ...(optionSecrets && { options: optionSecrets }) }
  return { masked, options, secrets: sealer.seal(JSON.stringify(secrets), contextOf(owner)), legacyHash: hash }
}

function maskSettings(settings: MonitorSettings): MonitorSettings {
  const masked: Record<string, unknown> = { ...settings }
  for (const [field, value] of Object.entries(settings)) masked[field] = maskValue(secrecyOf(field), value)
  return masked as MonitorSettings
}

/** The real values of the masked settings. */
export function openSecrets(secrets: string | null, owner: SettingsOwner, sealer: Sealer): MonitorSecrets {
  const { options: _options, ...settings } = openStored(secrets, owner, sealer)
  return settings
}

/** The options with their secrets; without a sealer, with masked ones. */
export function openOptions(
  { options, secrets }: { readonly options: string | null; readonly secrets: string | null },
  owner: SettingsOwner,
  sealer?: Sealer,
): MonitorOptions {
  if (options === null) return {}
  const masked = parseStored(options) as MonitorOptions
  return sealer === undefined ? masked : unmaskOptions(masked, openStored(secrets, owner, sealer).options)
}

function openStored(secrets: string | null, owner: SettingsOwner, sealer: Sealer): StoredSecrets {
  return secrets === null ? {} : parseStored(sealer.open(secrets, contextOf(owner)))
}

function contextOf({ orgId, id }: SettingsOwner): string {
  return `monitor ${orgId} ${id}`
}

/** The patch with stored values in place of masks, and the masks that stand for no stored value. */
export function unmaskPatch(
  patch: MonitorPatch,
  stored: Pick<MonitorSettings, 'url' | 'requestHeaders' | 'requestBody'>,
): { patch: MonitorPatch; faults: Fault[] } {
  const faults: Fault[] = []
  const unmasked: { -readonly [K in keyof MonitorPatch]: MonitorPatch[K] } = { ...patch }
  if (typeof patch.url === 'string') {
    const url = unmaskUrl(patch.url, stored.url)
    if (url === undefined) faults.push({ path: 'url', message: MASKED_USER_INFO })
    else unmasked.url = url
  }
  if (patch.requestBody === MASK) {
    if (stored.requestBody === null) faults.push(nothingStored('requestBody'))
    else unmasked.requestBody = stored.requestBody
  }
  if (patch.requestHeaders) {
    const values = new Map(Object.entries(stored.requestHeaders ?? {}).map(([name, v]) => [name.toLowerCase(), v]))
    unmasked.requestHeaders = Object.fromEntries(
      Object.entries(patch.requestHeaders).map(([name, value]) => {
        if (value !== MASK || harmlessHeaders.has(name.toLowerCase())) return [name, value]
        const storedValue = values.get(name.toLowerCase())
        if (storedValue === undefined) faults.push(nothingStored(`requestHeaders.${name}`))
        return [name, storedValue ?? value]
      }),
    )
  }
  return { patch: unmasked, faults }
}

const MASKED_USER_INFO = `${MASK} before the @ keeps the stored user name and password; it must stand alone, and some must be stored`

function nothingStored(path: string): Fault {
  return { path, message: `${MASK} keeps the stored value, and none is stored` }
}
