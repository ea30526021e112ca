import { useLocation } from 'wouter-preact'
import { useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { monitorTypeLabels } from '../../lib/labels.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckboxField, Form, NameField, TextField } from '../../ui/form.tsx'
import { RestoredNotice } from '../../ui/restored-notice.tsx'
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
  const monitors = useMonitorNames()
  const form = useFormDraft('status-page.new', emptyDraft)
  const { name, slug, chosen, published } = form.draft
  const create = async () => {
    const monitorsShown = chosen.map((monitorId) => ({ monitorId, displayName: null }))
    const page = await api.POST('/api/v1/status-pages', {
      body: {
        name,
        published,
        timezone: localZone(),
        ...(slug !== '' && { slug }),
        sections: chosen.length === 0 ? [] : [{ name: t('Services'), monitors: monitorsShown }],
      },
    })
    form.saved()
    showToast(published ? t('Status page published') : t('Draft created'))
    void refresh('status_page')
    navigate(`/status-pages/${page.id}`)
  }
  const cancel = () => {
    form.discard()
    onClose()
  }
  return (
    <Dialog title={t('New status page')} onClose={onClose}>
      <Form onSubmit={create} action={t('Create')} onCancel={cancel}>
        <RestoredNotice form={form} />
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
        <CheckboxList
          label={t('Monitors to show')}
          options={(monitors.data ?? []).map((monitor) => ({
            id: monitor.id,
            name: monitor.name,
            note: monitorTypeLabels[monitor.type],
          }))}
          {...form.field('chosen')}
          empty={t('No monitors yet')}
        />
        <CheckboxField
          label={t('Publish now')}
          hint={t('Otherwise it stays a draft that only members can see.')}
          {...form.field('published')}
        />
      </Form>
    </Dialog>
  )
}
