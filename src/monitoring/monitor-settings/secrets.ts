import type { Fault } from '../../contract/errors.ts'
import { harmlessHeaders } from '../../lib/harmless-headers.ts'
import { canonicalJson } from '../../lib/json.ts'
import { MASK, maskValue, unmaskUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { secrecyOf } from '../../lib/secret-fields.ts'
import type { MonitorPatch, MonitorSettings } from './schema.ts'

/** The fields of a monitor's settings that contain secrets, with their real values. */
type MonitorSecrets = Partial<MonitorSettings>

export interface SettingsOwner {
  readonly orgId: string
  readonly id: string
}

/** Settings as the monitor's row stores them: masked in the text that anybody may read, complete in the sealed text. */
export interface ProtectedSettings {
  readonly masked: MonitorSettings
  readonly secrets: string | null
}

export function protectSettings(settings: MonitorSettings, owner: SettingsOwner, sealer: Sealer): ProtectedSettings {
  const masked = maskSettings(settings)
  const hidden = Object.entries(settings).filter(([field, value]) => {
    const shown = masked[field as keyof MonitorSettings]
    return shown !== value && canonicalJson(shown) !== canonicalJson(value)
  })
  if (hidden.length === 0) return { masked, secrets: null }
  return { masked, secrets: sealer.seal(JSON.stringify(Object.fromEntries(hidden)), contextOf(owner)) }
}

function maskSettings(settings: MonitorSettings): MonitorSettings {
  const masked: Record<string, unknown> = { ...settings }
  for (const [field, value] of Object.entries(settings)) masked[field] = maskValue(secrecyOf(field), value)
  return masked as MonitorSettings
}

/** The real values of the masked fields. */
export function openSecrets(secrets: string | null, owner: SettingsOwner, sealer: Sealer): MonitorSecrets {
  return secrets === null ? {} : JSON.parse(sealer.open(secrets, contextOf(owner)))
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
