import type { MonitorOptions, ProbeOptions } from '../../contract/check-options.ts'
import type { ProbeTarget } from '../../contract/probe.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { allOf, batch, joinRows } from '../../storage/batch.ts'
import { type DbWork, q } from '../../storage/query.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { openOptions, openSecrets } from '../monitor-settings/secrets.ts'
import { type SettingsColumns, settingsColumns, settingsIn } from '../monitor-settings/stored.ts'
import type { CheckTiming } from '../monitor-states/schedule.ts'
import type { FullTarget } from '../monitor-types/definitions.ts'
import { BoundedCache } from './bounded-cache.ts'
import type { Rules } from './judge.ts'

/** The settings that deciding about a check needs. */
export type CheckSettings = Rules & CheckTiming & Pick<MonitorSettings, 'dnsAlertOnChange'>

/** A monitor's settings, parsed for its checks. It has only what they need: thousands are cached. */
export interface CheckConfig {
  readonly edition: number
  readonly monitorId: string
  readonly settings: CheckSettings
  readonly target: ProbeTarget
}

export interface SettingsEdition {
  readonly num: number
  readonly edition: number
}

const CAPACITY = 50_000

const storedSettings = batch<{ num: number }, StoredSettings & { num: number }>({ num: 'bigint' }, (key, rows) => {
  const found = q.selectFrom('monitors as m').select(['m.num', 'm.org_id', 'm.id', ...settingsColumns, 'm.secrets'])
  const from = joinRows(found, rows)
  return from.where('m.num', '=', key.num)
})

/** Parsed settings by monitor; an entry is valid for one edition of the settings. */
export class CheckConfigCache {
  readonly #sealer: Sealer
  readonly #cached = new BoundedCache<CheckConfig>(CAPACITY)

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /**
   * In the order of `editions`; undefined for a monitor that was deleted, an Error for one whose settings cannot be parsed.
   * Reads those that are not cached.
   */
  *load(editions: readonly SettingsEdition[]): DbWork<readonly (CheckConfig | Error | undefined)[]> {
    const missing = new Map<number, number>()
    const found = editions.map(({ num, edition }) => {
      const config = this.#cached.get(num)
      if (config?.edition === edition) return config
      missing.set(num, edition)
      return undefined
    })
    if (missing.size === 0) return found
    const read = yield* this.#read(missing)
    return editions.map(({ num }, i) => found[i] ?? read.get(num))
  }

  *#read(editions: ReadonlyMap<number, number>): DbWork<ReadonlyMap<number, CheckConfig | Error>> {
    const read = new Map<number, CheckConfig | Error>()
    const rows = yield* allOf(
      storedSettings,
      Array.from(editions.keys(), (num) => ({ num })),
    )
    for (const row of rows) {
      const config = tryParse(editions.get(row.num) as number, row, this.#sealer)
      read.set(row.num, config)
      if (config instanceof Error) continue
      this.#cached.set(row.num, config)
    }
    return read
  }
}

function tryParse(edition: number, row: StoredSettings, sealer: Sealer): CheckConfig | Error {
  try {
    return parseCheckConfig(edition, row, sealer)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

export interface StoredSettings extends SettingsColumns {
  readonly org_id: string
  readonly id: string
  readonly secrets: string | null
}

/** Without a sealer, for heartbeats, the target's secrets stay masked. */
export function parseCheckConfig(edition: number, stored: StoredSettings, sealer?: Sealer): CheckConfig {
  const { org_id: orgId, id, secrets } = stored
  const owner = { orgId, id }
  const settings = { ...settingsIn(stored), ...(sealer && openSecrets(secrets, owner, sealer)) }
  const config = { edition, monitorId: id, settings: checkSettingsOf(settings), target: targetOf(settings) }
  return stored.options === null ? config : withOptions(config, openOptions(stored, owner, sealer))
}

function withOptions(config: CheckConfig, options: MonitorOptions): CheckConfig {
  const { schedule, confirmation } = options
  return {
    ...config,
    settings: {
      ...config.settings,
      ...(schedule && { schedule }),
      ...(confirmation && { recoverySuccesses: confirmation.recoverySuccesses }),
    },
    target: { ...config.target, ...probeOptionsIn(options) },
  }
}

/** The options that probes need. */
export function probeOptionsIn({ assertions, request, dialogue, confirmation }: MonitorOptions): ProbeOptions {
  return {
    ...(assertions && { assertions }),
    ...(request && { request }),
    ...(dialogue && { dialogue }),
    ...(confirmation && { confirmation }),
  }
}

function checkSettingsOf(settings: MonitorSettings): CheckSettings {
  const { type, intervalSeconds, expectedPeriodSec, graceSeconds, dnsAlertOnChange } = settings
  const { degradedThresholdMs, degradedThresholdMode, degradedSamples, sslExpiryThresholdDays } = settings
  return {
    type,
    intervalSeconds,
    expectedPeriodSec,
    graceSeconds,
    dnsAlertOnChange,
    degradedThresholdMs,
    degradedThresholdMode,
    degradedSamples,
    sslExpiryThresholdDays,
  }
}

/** Without what probes do not need: it is sent to another thread, and thousands are cached. */
export function targetOf(settings: MonitorSettings): FullTarget {
  const { name: _name, type: _type, intervalSeconds: _interval, timeoutSeconds, ...others } = settings
  const { expectedPeriodSec: _period, graceSeconds: _grace, dnsAlertOnChange: _alert, ...further } = others
  const { degradedThresholdMs: _ms, degradedThresholdMode: _mode, degradedSamples: _samples, ...target } = further
  return { ...target, timeoutMs: timeoutSeconds * SECOND_MS }
}
