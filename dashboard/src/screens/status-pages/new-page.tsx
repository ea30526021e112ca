import { useLocation } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { DraftDialog } from '../../ui/draft-dialog.tsx'
import { CheckboxField, NameField, TextField } from '../../ui/form.tsx'
import { MonitorPicker } from '../../ui/monitor-picker.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'

interface Draft {
  readonly name: string
  readonly slug: string
  readonly chosen: readonly string[]
  readonly published: boolean
}

const emptyDraft: Draft = { name: '', slug: '', chosen: [], published: false }

/** Creates a page with name and monitors; the editor has the other settings. */
export function NewPage({ onClose }: { onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const form = useFormDraft('status-page.new', emptyDraft)
  const { name, slug, chosen, published } = form.draft
  const create = async () => {
    const monitorsShown = chosen.map((monitorId) => ({ monitorId, displayName: null }))
    const page = await api.POST('/api/v1/status-pages', {
      body: {
        name,
        published,
        timezone: localZone,
        ...(slug !== '' && { slug }),
        sections: chosen.length === 0 ? [] : [{ name: t('Services'), monitors: monitorsShown }],
      },
    })
    form.saved()
    showToast(published ? t('Status page published') : t('Draft created'))
    void refresh('status_page')
    navigate(`/status-pages/${page.id}`)
  }
  return (
    <DraftDialog title={t('New status page')} form={form} onSubmit={create} action={t('Create')} onClose={onClose}>
      <NameField {...form.field('name')} placeholder={t('Acme status')} />
      <TextField
        label={t('Address')}
        {...form.field('slug')}
        minLength={3}
        maxLength={63}
        placeholder={t('from the name')}
        hint={t('Page URL: {url}. Use a-z, 0-9 and hyphens.', {
          url: `${window.location.host}/status/${slug === '' ? '…' : slug}`,
        })}
      />
      <MonitorPicker label={t('Monitors to show')} {...form.field('chosen')} />
      <CheckboxField
        label={t('Publish now')}
        hint={t('Otherwise it stays a draft that only members can see.')}
        {...form.field('published')}
      />
    </DraftDialog>
  )
}
