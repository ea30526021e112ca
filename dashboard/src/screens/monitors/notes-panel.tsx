import { useGet } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'

/** The notes of a monitor, if it has some. */
export function NotesPanel({ id }: { id: string }) {
  const { data } = useGet(['monitor', id], '/api/v1/monitors/{monitorId}/notes', { path: { monitorId: id } })
  if (data?.runbookUrl === undefined && data?.text === undefined) return null
  return (
    <Section title={t('Notes')}>
      <div class="card space-y-2 px-4 py-3">
        {data.runbookUrl !== undefined && (
          <p>
            <a href={data.runbookUrl} target="_blank" rel="noreferrer" class="link break-all">
              {t('Open runbook')}
            </a>
          </p>
        )}
        {data.text !== undefined && <p class="break-words whitespace-pre-line">{data.text}</p>}
      </div>
    </Section>
  )
}
