import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { StatusPage } from './overall-status.tsx'

interface Props {
  readonly page: StatusPage
  readonly onProblem: (problem: unknown) => void
}

/** Publishes at once; asks before unpublishing. */
export function PublishButton({ page, onProblem }: Props) {
  const { api, refresh } = useOrganization()
  const [isBusy, setBusy] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const set = async (published: boolean) => {
    const path = { statusPageId: page.id }
    await api.PATCH('/api/v1/status-pages/{statusPageId}', { path, body: { published } })
    await refresh('status_page')
    showToast(published ? t('Status page published') : t('Status page unpublished'))
  }
  const publish = async () => {
    setBusy(true)
    onProblem(undefined)
    await set(true).catch(onProblem)
    setBusy(false)
  }
  if (!page.published) {
    return (
      <Button look="primary" busy={isBusy} onClick={publish}>
        {t('Publish')}
      </Button>
    )
  }
  return (
    <>
      <Button onClick={() => setConfirming(true)}>{t('Unpublish')}</Button>
      {isConfirming && (
        <Confirm
          title={t('Unpublish this page?')}
          action={t('Unpublish')}
          onConfirm={() => set(false)}
          onClose={() => setConfirming(false)}
        >
          <p>
            {t('The page, its feeds, calendar and badge stop working until you publish it again. Nothing is deleted.')}
          </p>
        </Confirm>
      )}
    </>
  )
}
