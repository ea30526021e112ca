import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { Acknowledge } from './acknowledge.tsx'
import { useAcknowledgedBy } from './acknowledgements.ts'

/** Who acknowledged an incident, or the button to do it. */
export function AcknowledgedBy({ incident }: { incident: PublicSchemas['Incident'] }) {
  const name = useAcknowledgedBy([incident]).get(incident.id)
  if (!incident.acknowledged) return <Acknowledge id={incident.id} name={incident.monitor.name} />
  return <span class="text-muted">{acknowledgedBy(name)}</span>
}

export function acknowledgedBy(name: string | undefined): string {
  return name === undefined ? t('Acknowledged') : t('Acknowledged by {name}', { name })
}
