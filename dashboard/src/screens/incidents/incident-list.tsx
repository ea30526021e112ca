import { useRef, useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useRowKeys, useShortcuts } from '../../lib/shortcuts.ts'
import { useAcknowledgedBy } from '../monitors/acknowledgements.ts'
import { AcknowledgeSelected } from './acknowledge-selected.tsx'
import { IncidentRow } from './incident-row.tsx'

/** Incidents; j and k move the focus, a acknowledges. */
export function IncidentList({
  incidents,
  isOld = false,
  isSelectable = false,
}: {
  incidents: readonly PublicSchemas['Incident'][]
  isOld?: boolean
  /** Whether several can be acknowledged at once. */
  isSelectable?: boolean
}) {
  const list = useRef<HTMLUListElement>(null)
  const by = useAcknowledgedBy(incidents)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const open = incidents.filter(({ resolvedAt, acknowledged }) => resolvedAt === null && !acknowledged)
  const canSelect = isSelectable && open.length > 1
  const select = (id: string, isSelected: boolean) =>
    setChosen(isSelected ? new Set([...chosen, id]) : new Set([...chosen].filter((other) => other !== id)))
  useRowKeys(list)
  useShortcuts({
    a: () => document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-acknowledge]')?.click(),
  })
  return (
    <>
      {canSelect && <AcknowledgeSelected open={open} chosen={chosen} onChosen={(ids) => setChosen(new Set(ids))} />}
      <ul ref={list} class={`card @container divide-y divide-line ${isOld ? 'opacity-60' : ''}`}>
        {incidents.map((incident) => (
          <IncidentRow
            key={incident.id}
            incident={incident}
            by={by.get(incident.id)}
            isSelected={canSelect && open.includes(incident) ? chosen.has(incident.id) : undefined}
            onSelect={(isSelected) => select(incident.id, isSelected)}
          />
        ))}
      </ul>
    </>
  )
}
