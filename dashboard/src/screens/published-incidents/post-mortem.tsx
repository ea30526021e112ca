import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, TextAreaField } from '../../ui/form.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Published } from './labels.tsx'

const OUTLINE = '## What happened\n\n\n## Root cause\n\n\n## What we’re doing about it\n\n'

/** The postmortem of an incident. */
export function PostMortem({ incident }: { incident: Published }) {
  const { api, may, refresh } = useOrganization()
  const [text, setText] = useState<string | null>(null)
  const save = async () => {
    const postmortem = text === null || text.trim() === '' ? null : text
    const path = { statusIncidentId: incident.id }
    await api.PATCH('/api/v1/status-incidents/{statusIncidentId}', { path, body: { postmortem } })
    showToast(postmortem === null ? t('Post-mortem removed') : t('Post-mortem published'))
    await refresh('status_incident')
    setText(null)
  }
  const begin = () => setText(incident.postmortem ?? OUTLINE)
  if (incident.postmortem === null && (!may('MEMBER') || incident.status !== 'RESOLVED')) return null
  return (
    <Section
      title={t('Post-mortem')}
      actions={
        may('MEMBER') && (
          <Button onClick={begin}>{incident.postmortem === null ? t('Write post-mortem') : t('Edit')}</Button>
        )
      }
    >
      <div class="card p-4">
        {incident.postmortem === null ? (
          <p class="text-muted">{t('Explain what happened, why, and how you’ll prevent it.')}</p>
        ) : (
          <Markdown text={incident.postmortem} />
        )}
      </div>
      {text !== null && (
        <Dialog title={t('Post-mortem')} onClose={() => setText(null)}>
          <Form onSubmit={save} action={t('Publish')} onCancel={() => setText(null)}>
            <TextAreaField
              label={t('Text')}
              path="postmortem"
              value={text}
              onValue={setText}
              rows={14}
              maxLength={50_000}
              hint={t('Markdown. Shown below the incident on every status page. Leave empty to remove it.')}
            />
          </Form>
        </Dialog>
      )}
    </Section>
  )
}
