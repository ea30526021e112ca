import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { AssertionBuilder, type Test } from './assertion-builder.tsx'
import { type AssertionRow, assertionOf, assertionSources, rowOf } from './assertion-draft.ts'
import type { MonitorType } from './types.ts'

interface AssertionOptions {
  /** For a test of the settings; undefined if the type has no assertions. */
  readonly body: PublicSchemas['MonitorAssertions'] | undefined
  field(test: Test): preact.JSX.Element | null
  /** Saves the assertions if they were changed. */
  save(monitorId: string): Promise<void>
}

/** Assertions in the form of a monitor. A copy begins with those of the monitor that it copies. */
export function useAssertionOptions(
  rows: readonly AssertionRow[] | null,
  onRows: (rows: readonly AssertionRow[]) => void,
  type: MonitorType,
  monitorId?: string,
  copiedFrom?: string,
): AssertionOptions {
  const { api } = useOrganization()
  const source = monitorId ?? copiedFrom
  const path = { monitorId: source ?? '' }
  const { data } = useGet('monitor', '/api/v1/monitors/{monitorId}/assertions', { path, enabled: source !== undefined })
  const stored = source === undefined ? [] : data?.assertions
  const sources = assertionSources[type]
  // Assertions about what the type does not have went with the type.
  const shown = (rows ?? stored?.map(rowOf) ?? []).filter((row) => sources?.includes(row.source))
  const isShown = stored !== undefined && sources !== undefined
  return {
    body: isShown ? { assertions: shown.map(assertionOf) } : undefined,
    field: (test) => (isShown ? <AssertionBuilder rows={shown} onRows={onRows} sources={sources} test={test} /> : null),
    async save(id) {
      const isStored = rows === null && monitorId !== undefined
      if (!isShown || isStored || (monitorId === undefined && shown.length === 0)) return
      const body = { assertions: shown.map(assertionOf) }
      await api.PUT('/api/v1/monitors/{monitorId}/assertions', { path: { monitorId: id }, body })
    },
  }
}
