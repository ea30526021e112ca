import { useMonitorLabels } from '../../api/labels.ts'
import { useOrganization } from '../../api/organization.tsx'
import { LabelEditor, type LabelRow, labelsOf, rowsOf } from './label-editor.tsx'

interface LabelChoice {
  readonly field: preact.JSX.Element | null
  /** Saves the labels if they were changed. */
  save(monitorId: string): Promise<void>
}

/** Labels in the form of a monitor. A copy begins with those of the monitor that it copies. */
export function useLabelChoice(
  rows: readonly LabelRow[] | null,
  onRows: (rows: readonly LabelRow[]) => void,
  monitorId?: string,
  copiedFrom?: string,
): LabelChoice {
  const { api } = useOrganization()
  const source = monitorId ?? copiedFrom
  const { data } = useMonitorLabels(source)
  const stored = source === undefined ? {} : data?.labels
  const shown = rows ?? rowsOf(stored ?? {})
  return {
    field: stored === undefined ? null : <LabelEditor rows={shown} onRows={onRows} />,
    async save(id) {
      const isStored = rows === null && monitorId !== undefined
      const labels = labelsOf(shown)
      if (isStored || (monitorId === undefined && Object.keys(labels).length === 0)) return
      await api.PUT('/api/v1/monitors/{monitorId}/labels', { path: { monitorId: id }, body: { labels } })
    },
  }
}
