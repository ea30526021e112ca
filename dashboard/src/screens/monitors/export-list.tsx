import { Download } from 'lucide-preact'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useRunningAction } from './actions.ts'
import { filterParams, type ListState } from './list-query.ts'

/** Downloads the filtered list as CSV. */
export function ExportList({ list, isEmpty }: { list: ListState; isEmpty: boolean }) {
  const { organization } = useOrganization()
  const running = useRunningAction()
  const download = async () => {
    const url = `/app/api/monitors.csv?${new URLSearchParams(filterParams(list))}`
    const response = await fetch(url, { headers: { 'X-Pharos-Organization': organization.id } }).catch(() => undefined)
    if (response?.ok !== true) {
      showToast(t('Export failed. Try again.'))
      return
    }
    const file = URL.createObjectURL(await response.blob())
    const link = document.createElement('a')
    link.href = file
    link.download = 'monitors.csv'
    link.click()
    // The browser reads it after the click.
    setTimeout(() => URL.revokeObjectURL(file), 60_000)
  }
  return (
    <Button
      icon={<Download size={16} aria-hidden="true" />}
      busy={running.busy !== null}
      disabled={isEmpty}
      title={t('Download these monitors as CSV')}
      onClick={() => void running.run('export', download)}
    >
      <span class="max-sm:sr-only">{t('Export')}</span>
    </Button>
  )
}
