import type { ProbeTarget } from '../../contract/probe.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { MonitorSettings } from '../monitor-settings/schema.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import type { Rhythm } from '../monitor-states/due.ts'
import type { Rules } from './judge.ts'

/** What deciding about a check needs of what the user set. Ten thousand are kept: nothing is in it that nobody asks for. */
export type CheckSettings = Rules & Rhythm & Pick<MonitorSettings, 'dnsAlertOnChange'>

/** What a check needs to know of what the user set. */
export interface Setup {
  readonly edition: number
  readonly monitorId: string
  readonly settings: CheckSettings
  readonly target: ProbeTarget
}

export interface Edition {
  readonly num: number
  readonly edition: number
}

const MOST_KEPT = 20_000

/** Setups that were read before, so that a check of a monitor that nobody changes reads and parses none. */
export class Setups {
  readonly #known = new Map<number, Setup>()

  #keep(num: number, setup: Setup): void {
    if (this.#known.size >= MOST_KEPT) this.#known.clear()
    this.#known.set(num, setup)
  }

  /** The setups of some monitors, each in its place; those that are not known in this edition are read. */
  *of(editions: readonly Edition[]): DbWork<readonly (Setup | undefined)[]> {
    const unseen = new Map<number, number>()
    const known = editions.map(({ num, edition }) => {
      const setup = this.#known.get(num)
      if (setup?.edition === edition) return setup
      unseen.set(num, edition)
      return undefined
    })
    if (unseen.size === 0) return known
    const read = yield* this.#read(unseen)
    return editions.map(({ num }, i) => known[i] ?? read.get(num))
  }

  *#read(unseen: ReadonlyMap<number, number>): DbWork<ReadonlyMap<number, Setup>> {
    const found = new Map<number, Setup>()
    const rows = yield* execute(
      q
        .selectFrom('monitors')
        .select(['num', 'id', 'shown'])
        .where('num', 'in', [...unseen.keys()]),
    )
    for (const row of rows) {
      const setup = setupIn(unseen.get(row.num) as number, row)
      found.set(row.num, setup)
      this.#keep(row.num, setup)
    }
    return found
  }
}

export function setupIn(edition: number, { id, shown }: { id: string; shown: string }): Setup {
  const settings = settingsIn(shown)
  return { edition, monitorId: id, settings: checkSettingsOf(settings), target: targetOf(settings) }
}

function checkSettingsOf(settings: MonitorSettings): CheckSettings {
  const { type, intervalSeconds, expectedPeriodSec, graceSeconds, dnsAlertOnChange } = settings
  const { degradedThresholdMs, degradedThresholdMode, degradedSamples, sslExpiryThresholdDays } = settings
  return {
    ...{ type, intervalSeconds, expectedPeriodSec, graceSeconds, dnsAlertOnChange },
    ...{ degradedThresholdMs, degradedThresholdMode, degradedSamples, sslExpiryThresholdDays },
  }
}

/** What a probe looks at, and no more: ten thousand of them are kept, and each goes to another thread with each check. */
export function targetOf(settings: MonitorSettings): ProbeTarget {
  const { url, host, port, method, expectedStatus, requestHeaders, requestBody, followRedirects } = settings
  const { verifySsl, keyword, keywordMatch, dnsRecordType, dnsExpected, sslExpiryThresholdDays } = settings
  return {
    ...{ url, host, port, method, expectedStatus, requestHeaders, requestBody, followRedirects },
    ...{ verifySsl, keyword, keywordMatch, dnsRecordType, dnsExpected, sslExpiryThresholdDays },
    timeoutMs: settings.timeoutSeconds * SECOND_MS,
  }
}
