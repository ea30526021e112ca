import { useState } from 'preact/hooks'
import type { PublicSchemas } from '../../../api/client.ts'
import { useGet } from '../../../api/get.ts'
import { useOrganization } from '../../../api/organization.tsx'
import { t } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Form, NumberField, SelectField, TextField } from '../../../ui/form.tsx'
import { EmptyState } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { choicesOf } from '../../../ui/select.tsx'
import { toolNames } from './labels.ts'
import { Run } from './run.tsx'

/** Comparisons with the tools that monitors were imported from. */
export default function ShadowRuns() {
  const { may } = useOrganization()
  const [isStarting, setStarting] = useState(false)
  const runs = useGet('shadow_run', '/api/v1/shadow-runs')
  const hasRuns = (runs.data?.data.length ?? 0) > 0
  const start = may('MEMBER') && (
    <Button look={hasRuns ? 'plain' : 'primary'} onClick={() => setStarting(true)}>
      {t('Start shadow run')}
    </Button>
  )
  return (
    <Page
      title={t('Shadow run')}
      lead={t('Compares your old tool with Pharos before Pharos alerts anyone.')}
      actions={hasRuns && start}
    >
      <QueryResult query={runs}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title={t('No shadow run yet')} action={start || undefined}>
              {t(
                'After you import monitors from Uptime Kuma, Gatus or UptimeRobot, both tools run side by side for a week. You see where they disagree. Imported contacts stay disabled and imported monitors muted until you end it.',
              )}
            </EmptyState>
          ) : (
            <div class="space-y-8">
              {data.map((run) => (
                <Run key={run.id} run={run} />
              ))}
            </div>
          )
        }
      </QueryResult>
      {isStarting && <StartRun onClose={() => setStarting(false)} />}
    </Page>
  )
}

type Tool = PublicSchemas['ShadowRun']['tool']

const urlHints: Readonly<Partial<Record<Tool, string>>> = {
  KUMA: t('Its metrics page, for example https://kuma.example.com/metrics'),
  GATUS: t('Its status page, for example https://status.example.com'),
}

const keyHints: Readonly<Record<Tool, string>> = {
  KUMA: t('An API key, or user:password. Stored encrypted, and deleted when the run ends.'),
  GATUS: t('user:password, if Gatus asks for them. Stored encrypted, and deleted when the run ends.'),
  UPTIMEROBOT: t('Use a read-only key. Stored encrypted, and deleted when the run ends.'),
}

const tools = choicesOf(toolNames)

function StartRun({ onClose }: { onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [tool, setTool] = useState<Tool>('KUMA')
  const [url, setUrl] = useState('')
  const [secret, setSecret] = useState('')
  const [days, setDays] = useState<number | null>(7)
  const hint = urlHints[tool]
  const submit = async () => {
    const body = { tool, days: days ?? 7, ...(hint && { url }), ...(secret && { key: secret }) }
    await api.POST('/api/v1/shadow-runs', { body })
    await refresh('shadow_run')
    onClose()
  }
  return (
    <Dialog title={t('Start shadow run')} onClose={onClose}>
      <Form action={t('Start')} onSubmit={submit} onCancel={onClose}>
        <SelectField label={t('Imported from')} path="tool" value={tool} onValue={setTool} choices={tools} />
        {hint && <TextField label={t('URL')} path="url" type="url" required value={url} onValue={setUrl} hint={hint} />}
        <TextField
          label={t('Key')}
          path="key"
          type="password"
          autocomplete="off"
          required={tool === 'UPTIMEROBOT'}
          value={secret}
          onValue={setSecret}
          hint={keyHints[tool]}
        />
        <NumberField label={t('Days')} path="days" min={1} max={90} value={days} onValue={setDays} />
      </Form>
    </Dialog>
  )
}
