import type { PublicSchemas } from '../../../api/client.ts'
import { useOrganization } from '../../../api/organization.tsx'
import { number, percent } from '../../../lib/format.ts'
import { plural, t, tx } from '../../../lib/i18n.ts'
import { ConfirmButton } from '../../../ui/dialog.tsx'
import { AbsoluteTime, RelativeTime } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { Tag } from '../rows.tsx'
import { Disagreements } from './disagreements.tsx'
import { toolNames } from './labels.ts'

type ShadowRun = PublicSchemas['ShadowRun']

/** One run: its state, how far both agree, and what they disagree about. */
export function Run({ run }: { run: ShadowRun }) {
  const { may } = useOrganization()
  const tool = toolNames[run.tool]
  return (
    <section aria-label={tool} class="space-y-4">
      <div class="card space-y-3 p-4">
        <div class="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 class="text-base font-semibold">{tool}</h2>
          <RunState run={run} />
          {may('MEMBER') && (
            <div class="ms-auto flex flex-wrap gap-2">
              <DeleteButton run={run} />
              {run.contactsEnabledAt === null && <FinishButton run={run} />}
            </div>
          )}
        </div>
        {run.lastError !== null && run.endedAt === null && (
          <p role="alert" class="rounded-md border border-down bg-down-soft p-3 text-down-text">
            {tx('No verdicts from {tool}: {error}', { tool, error: run.lastError })}
          </p>
        )}
        {run.lastError !== null && run.endedAt !== null && <p class="text-muted">{run.lastError}</p>}
        <Figures run={run} />
        <Unmatched title={t('Only in {tool}', { tool })} list={run.unmatchedThere} />
        <Unmatched title={t('Only in Pharos')} list={run.unmatchedHere} />
      </div>
      <Disagreements run={run} />
    </section>
  )
}

function RunState({ run: { endedAt, lastError, lastPollAt } }: { run: ShadowRun }) {
  if (endedAt !== null) return <Tag>{t('Ended')}</Tag>
  if (lastError !== null) return <Tag tone="bad">{t('No answer')}</Tag>
  return lastPollAt === null ? <Tag>{t('Starting')}</Tag> : <Tag tone="good">{t('Running')}</Tag>
}

function Figures({ run }: { run: ShadowRun }) {
  const { agreement, matched, counts, endedAt, endsAt, lastPollAt } = run
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <dl class="grid grid-cols-2 gap-4 sm:grid-cols-4">
      <Figure label={t('Agreement')}>{agreement === null ? '–' : percent(agreement / 100)}</Figure>
      <Figure label={t('Monitors compared')}>{number(matched)}</Figure>
      <Figure label={t('Disagreements')}>{number(total)}</Figure>
      {endedAt === null ? (
        <Figure label={t('Ends')}>
          <RelativeTime at={endsAt} upcoming />
          <span class="block text-xs font-normal text-muted">
            {tx('Last asked: {time}', { time: <RelativeTime at={lastPollAt} /> })}
          </span>
        </Figure>
      ) : (
        <Figure label={t('Ended')}>
          <AbsoluteTime at={endedAt} />
        </Figure>
      )}
    </dl>
  )
}

function Figure({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt class="text-xs text-muted">{label}</dt>
      <dd class="text-base font-semibold">{children}</dd>
    </div>
  )
}

function Unmatched({ title, list: { total, names } }: { title: string; list: ShadowRun['unmatchedHere'] }) {
  if (total === 0) return null
  return (
    <details>
      <summary class="touch cursor-pointer py-1 text-muted">
        {title}: {plural(total, 'monitor')}
      </summary>
      <ul class="mt-1 list-inside list-disc wrap-anywhere">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
        {total > names.length && <li>{t('and {count} more', { count: number(total - names.length) })}</li>}
      </ul>
    </details>
  )
}

function FinishButton({ run: { id, tool, endedAt } }: { run: ShadowRun }) {
  const { api, refresh } = useOrganization()
  const finish = async () => {
    const path = { shadowRunId: id }
    const done = api.POST('/api/v1/shadow-runs/{shadowRunId}/finish', { path, body: { enableContacts: true } })
    const { enabledContacts, unmutedMonitors } = await done
    await refresh('shadow_run', 'contact', 'monitor')
    const contacts = plural(enabledContacts, 'contact')
    showToast(t('{contacts} enabled, {monitors} unmuted', { contacts, monitors: plural(unmutedMonitors, 'monitor') }))
  }
  return (
    <ConfirmButton
      label={endedAt === null ? t('End and enable contacts…') : t('Enable contacts…')}
      look="primary"
      title={t('Enable the imported contacts?')}
      action={t('Enable contacts')}
      onConfirm={finish}
    >
      {t('From now on, Pharos alerts them. Turn off their alerts in {tool}, so that nobody is alerted twice.', {
        tool: toolNames[tool],
      })}
    </ConfirmButton>
  )
}

function DeleteButton({ run: { id, tool } }: { run: ShadowRun }) {
  const { api, refresh } = useOrganization()
  const remove = async () => {
    await api.DELETE('/api/v1/shadow-runs/{shadowRunId}', { path: { shadowRunId: id } })
    await refresh('shadow_run')
    showToast(t('Shadow run deleted'))
  }
  return (
    <ConfirmButton
      label={t('Delete…')}
      title={t('Delete the shadow run with {tool}?', { tool: toolNames[tool] })}
      action={t('Delete')}
      onConfirm={remove}
    >
      {t('What it found is deleted. Imported contacts stay as they are.')}
    </ConfirmButton>
  )
}
