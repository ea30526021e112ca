import { useRef } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useRowKeys, useShortcuts } from '../../lib/shortcuts.ts'
import { IncidentRow } from './incident-row.tsx'

/** Incidents; j and k move the focus, a acknowledges. */
export function IncidentList({
  incidents,
  isOld = false,
}: {
  incidents: readonly PublicSchemas['Incident'][]
  isOld?: boolean
}) {
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list)
  useShortcuts({
    a: () => document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-acknowledge]')?.click(),
  })
  return (
    <ul ref={list} class={`card @container divide-y divide-line ${isOld ? 'opacity-60' : ''}`}>
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident} />
      ))}
    </ul>
  )
}
