import { useQuery } from '@tanstack/preact-query'
import type { Clients } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { t } from '../lib/i18n.ts'
import { InfoNotice } from './notice.tsx'

type Api = Clients['api']

/** How to ask which configuration document manages a resource, by its kind in query keys. */
const requests = {
  monitor: (api: Api, monitorId: string) => api.GET('/api/v1/monitors/{monitorId}/source', { path: { monitorId } }),
  contact: (api: Api, contactId: string) => api.GET('/api/v1/contacts/{contactId}/source', { path: { contactId } }),
  status_page: (api: Api, statusPageId: string) =>
    api.GET('/api/v1/status-pages/{statusPageId}/source', { path: { statusPageId } }),
  maintenance: (api: Api, maintenanceId: string) =>
    api.GET('/api/v1/maintenance-windows/{maintenanceId}/source', { path: { maintenanceId } }),
  webhook_endpoint: (api: Api, endpointId: string) =>
    api.GET('/api/v1/webhook-endpoints/{endpointId}/source', { path: { endpointId } }),
}

interface Resource {
  readonly kind: keyof typeof requests
  readonly id: string
}

function useSource({ kind, id }: Resource) {
  const { api, key } = useOrganization()
  return useQuery({ queryKey: key(kind, 'source', id), queryFn: () => requests[kind](api, id) }).data
}

/** Marks a resource that a configuration document manages. */
export function ManagedBy(resource: Resource) {
  const managed = useSource(resource)
  return managed ? <span>{t('Managed by {source} as {key}', { ...managed })}</span> : null
}

/** In the form of a managed resource: what becomes of a change. */
export function DriftWarning(resource: Resource) {
  const managed = useSource(resource)
  if (!managed) return null
  const { source } = managed
  return (
    <InfoNotice>
      {t('Managed by {source} as {key}', { ...managed })}.{' '}
      {t('The next plan of {source} shows your changes as drift, and applying it undoes them.', { source })}
    </InfoNotice>
  )
}
