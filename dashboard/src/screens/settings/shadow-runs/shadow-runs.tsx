import { useState } from 'preact/hooks'
import { useGet } from '../../../api/get.ts'
import { useOrganization } from '../../../api/organization.tsx'
import { t } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { Run } from './run.tsx'
import { StartRun } from './start-run.tsx'

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
                'After you import monitors from Uptime Kuma, Gatus or UptimeRobot, both tools run side by side for a week. You see where they disagree. Imported contacts stay disabled until you end it.',
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
