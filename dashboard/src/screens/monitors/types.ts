import type { PublicSchemas } from '../../api/client.ts'
import { type MonitorTypeForm, monitorTypeForms } from '../../lib/monitor-types.ts'

export type MonitorType = PublicSchemas['Monitor']['type']
export type Field = Exclude<keyof PublicSchemas['CreateMonitor'], 'name' | 'type'>

/** The monitor of a form. */
export interface EditedMonitor {
  readonly type: MonitorType
  /** Undefined for a new one. */
  readonly monitorId: string | undefined
  /** The monitor whose labels, contacts and options the form begins with: itself, or the one that it copies, without secrets. */
  readonly source: string | undefined
  /** It gets the address of another server, for which secrets must be entered again. */
  readonly isMoved: boolean
}

export const typeForms: Readonly<Record<MonitorType, MonitorTypeForm<Field>>> = monitorTypeForms

/** Most used first. */
export const monitorTypes = Object.entries(typeForms).map(([value, { label, description }]) => ({
  value: value as MonitorType,
  label,
  description,
}))

export function typeLabel(type: MonitorType): string {
  return typeForms[type].label
}

export function hasField(type: MonitorType, field: Field): boolean {
  return typeForms[type].fields.includes(field)
}

/** The field that names the target; null for CRON. */
export function targetField(type: MonitorType): 'url' | 'host' | null {
  return hasField(type, 'url') ? 'url' : hasField(type, 'host') ? 'host' : null
}

/** The target of a monitor; null for CRON. */
export function targetText(monitor: Pick<PublicSchemas['Monitor'], 'type' | 'url' | 'host' | 'port'>): string | null {
  const field = targetField(monitor.type)
  const target = field && monitor[field]
  if (target === null || !hasField(monitor.type, 'port')) return target
  return `${target.includes(':') ? `[${target}]` : target}:${monitor.port}`
}
