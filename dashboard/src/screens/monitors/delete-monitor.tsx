import { useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { separated } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { useMonitorActions } from './actions.ts'
import type { NamedMonitor } from './delete-later.ts'

/** Confirms the deletion of a monitor and lists what else is deleted. */
export function DeleteMonitor({ monitor: { id, name }, onClose }: { monitor: NamedMonitor; onClose: () => void }) {
  const actions = useMonitorActions()
  const [path, navigate] = useLocation()
  const incidents = useGet('incident', '/api/v1/incidents', { query: { monitorId: id, limit: 1 } })
  const pages = useGet('status_page', '/api/v1/status-pages', { query: { limit: 100 } })
  const shownOn = (pages.data?.data ?? []).filter(({ sections }) =>
    sections.some(({ monitors }) => monitors.some(({ monitorId }) => monitorId === id)),
  )
  const count = incidents.data?.pagination.total ?? 0
  return (
    <Confirm
      title={t('Delete {name}?', { name })}
      action={t('Delete monitor')}
      onClose={onClose}
      onConfirm={async () => {
        actions.remove([{ id, name }])
        if (path !== '/monitors') navigate('/monitors')
      }}
    >
      <p>{t('This also permanently deletes:')}</p>
      <ul class="mt-2 list-disc ps-5">
        <li>{t('its check history and uptime')}</li>
        <li>{count === 0 ? t('its incidents (none)') : plural(count, 'incident')}</li>
        {shownOn.length > 0 && (
          <li>{tx('its entry on {value}', { value: separated(shownOn.map((page) => page.name)) })}</li>
        )}
      </ul>
      <p class="mt-2 text-muted">{t('To stop checks and keep the history, pause it instead.')}</p>
    </Confirm>
  )
}
