import { isoTimestamp } from '../../lib/timestamp.ts'
import type { MonitorSettings } from './schema.ts'

export interface MonitorIdentity {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Members of the monitor's JSON object that only its user changes, as the monitor's row stores them: with masked secrets. */
export function renderSettings({ id, createdAt, updatedAt }: MonitorIdentity, masked: MonitorSettings): string {
  const times = { createdAt: isoTimestamp(createdAt), updatedAt: isoTimestamp(updatedAt) }
  return `"id":${JSON.stringify(id)},${membersOf(masked)},${membersOf(times)}`
}

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/** The settings in a stored text, in the form of a creation's body, with masked secrets. */
export function parseSettings(stored: string): MonitorSettings {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...settings } = JSON.parse(`{${stored}}`)
  return settings
}
