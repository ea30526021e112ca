import { settingsIn } from '../monitors/render.ts'
import type { MonitorSettings } from '../monitors/schema.ts'
import type { Target } from '../probes/probe.ts'

interface Parsed {
  readonly shown: string
  readonly settings: MonitorSettings
  readonly target: Target
}

const MOST_ENTRIES = 20_000
const parsed = new Map<number, Parsed>()

/** A monitor's settings and its target out of the stored text; parsed anew only when the text is another. */
export function parseSettings(num: number, shown: string): Parsed {
  const known = parsed.get(num)
  if (known?.shown === shown) return known
  const settings = settingsIn(shown)
  const entry = { shown, settings, target: targetOf(settings) }
  if (parsed.size >= MOST_ENTRIES) parsed.clear()
  parsed.set(num, entry)
  return entry
}

function targetOf(settings: MonitorSettings): Target {
  return { ...settings, timeoutMs: settings.timeoutSeconds * 1000 }
}
