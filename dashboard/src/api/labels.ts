import type { PublicSchemas } from './client.ts'
import { useGet } from './get.ts'

export type KnownLabel = PublicSchemas['Label']

const KEYS_OFFERED = 100

/** The labels in use, to be suggested. Empty while they are loading. */
export function useKnownLabels(enabled = true): readonly KnownLabel[] {
  return useGet('monitor', '/api/v1/labels', { query: { limit: KEYS_OFFERED }, enabled }).data?.data ?? []
}

/** The labels of a monitor. */
export function useMonitorLabels(monitorId: string | undefined) {
  const path = { monitorId: monitorId ?? '' }
  return useGet('monitor', '/api/v1/monitors/{monitorId}/labels', { path, enabled: monitorId !== undefined })
}
