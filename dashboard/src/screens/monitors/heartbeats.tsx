import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { axisTime, duration, exactTime, milliseconds } from '../../lib/format.ts'
import { t, tx } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { type State, StateShape } from '../../ui/state.tsx'
import { showToast } from '../../ui/toast.tsx'

interface HeartbeatsProps {
  readonly monitor: PublicSchemas['Monitor']
  readonly incidents: readonly PublicSchemas['Incident'][]
  readonly schedule: PublicSchemas['HeartbeatSchedule'] | null | undefined
}

/** Timeline of the job's signals, and its heartbeat URL with copyable examples. */
export function Heartbeats({ monitor, incidents, schedule }: HeartbeatsProps) {
  const { may } = useOrganization()
  const now = useNow()
  const beats = useGet(['monitor', monitor.id], '/api/v1/monitors/{monitorId}/heartbeats', {
    path: { monitorId: monitor.id },
    query: { limit: 100 },
  })
  const snippets = may('MEMBER') ? <Snippets monitor={monitor} /> : <HiddenUrl />
  const isNew = beats.data?.data.length === 0
  return (
    <>
      {isNew && snippets}
      <Section title={t('Heartbeats')} lead={t('Received and missed heartbeats, newest first')}>
        <QueryResult query={beats}>
          {({ data }) =>
            data.length === 0 ? (
              <p class="card px-4 py-8 text-center text-muted">
                {t('No heartbeats yet. Call the heartbeat URL at the end of the job.')}
              </p>
            ) : (
              <Timeline entries={timelineOf(data, incidents, schedule, now)} />
            )
          }
        </QueryResult>
      </Section>
      {!isNew && snippets}
    </>
  )
}

function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <ol class="card py-2 lg:max-h-128 lg:overflow-y-auto" tabIndex={0} aria-label={t('Heartbeats')}>
      {entries.map((entry, i) => (
        <li key={`${entry.kind} ${entry.at} ${i}`} class="relative flex gap-3 px-4 py-2">
          {i < entries.length - 1 && (
            <span class="absolute start-4 top-6 ms-[5.5px] -bottom-2 w-px bg-line" aria-hidden="true" />
          )}
          <span class="relative z-10 flex h-5 items-center">
            <StateShape state={shapeOf(entry)} />
          </span>
          <div class="min-w-0 grow">
            {entry.kind === 'signal' && <Beat beat={entry.beat} />}
            {entry.kind === 'missed' && <Missed incident={entry.incident} />}
            {entry.kind === 'expected' && <Expected entry={entry} />}
          </div>
        </li>
      ))}
    </ol>
  )
}

function shapeOf(entry: TimelineEntry): State {
  if (entry.kind === 'missed') return 'DOWN'
  if (entry.kind === 'expected') return entry.late ? 'DEGRADED' : 'PENDING'
  const { signal } = entry.beat
  if (isFailure(entry.beat)) return 'DOWN'
  return signal === 'START' || signal === 'LOG' ? 'PENDING' : 'UP'
}

function isFailure({ signal, exitCode }: PublicSchemas['Heartbeat']): boolean {
  return signal === 'FAIL' || (exitCode !== null && exitCode !== 0)
}

function Missed({ incident: { id, startedAt, durationSec } }: { incident: PublicSchemas['Incident'] }) {
  return (
    <p class="flex flex-wrap items-baseline gap-x-3">
      <Link href={`/incidents/${id}`} class="font-medium text-down-text hover:underline">
        {t('Missed heartbeat')}
      </Link>
      <span class="text-muted">{tx('overdue at {startedAt}', { startedAt: exactTime(startedAt) })}</span>
      <span class="sm:ms-auto">
        {durationSec === null
          ? t('still missing')
          : t('missing for {durationSec}', { durationSec: duration(durationSec) })}
      </span>
    </p>
  )
}

function Expected({ entry: { at, overdueAt, late } }: { entry: Extract<TimelineEntry, { kind: 'expected' }> }) {
  return (
    <p class="flex flex-wrap items-baseline gap-x-3">
      <span class={`font-medium ${late ? 'text-degraded-text' : ''}`}>
        {late ? t('Heartbeat is late') : t('Next heartbeat expected')}
      </span>
      <span class="text-muted">
        {late ? t('expected {time}', { time: exactTime(at) }) : t('by {time}', { time: exactTime(at) })}
      </span>
      <span class="sm:ms-auto text-muted">
        {tx('overdue after {timeOfDay}', { timeOfDay: axisTime(new Date(overdueAt)) })}
      </span>
    </p>
  )
}

const tools = {
  curl: 'curl',
  wget: 'wget',
  cron: t('Crontab'),
  exit: t('With exit code'),
  powershell: t('PowerShell'),
} as const
type Tool = keyof typeof tools
const choices = choicesOf(tools)

/** The server masks the URL for viewers. */
function HiddenUrl() {
  return (
    <Section title={t('Heartbeat URL')}>
      <p class="card p-4 text-muted">
        {t(
          'Anyone who has the URL can send heartbeats, so viewers can’t see it. Ask a member or an admin for the URL.',
        )}
      </p>
    </Section>
  )
}

function Snippets({
  monitor: { id, heartbeatUrl, expectedPeriodSec, intervalSeconds },
}: Pick<HeartbeatsProps, 'monitor'>) {
  const [tool, setTool] = useState<Tool>('curl')
  const url = heartbeatUrl ?? ''
  return (
    <Section
      title={t('Heartbeat URL')}
      lead={t('Call this URL after each successful run.')}
      actions={<ReplaceHeartbeatUrl monitorId={id} />}
    >
      <div class="card space-y-3 p-4">
        <p class="flex items-center gap-2">
          <code class="min-w-0 grow break-all">{url}</code>
          <CopyButton text={url} label={t('Copy heartbeat URL')} />
        </p>
        <SegmentedControl label={t('Tool')} value={tool} choices={choices} onValue={setTool} />
        <CodeBlock text={snippet(tool, url, expectedPeriodSec ?? intervalSeconds)} label={tools[tool]} />
        <p class="text-xs text-muted">
          {tx(
            'Append {start} when a run starts to measure its duration, {fail} when it fails, and {log} to send a message. Keep the URL secret: anyone who has it can send heartbeats.',
            { start: <code>/start</code>, fail: <code>/fail</code>, log: <code>/log</code> },
          )}
        </p>
      </div>
    </Section>
  )
}

function snippet(tool: Tool, url: string, periodSeconds: number): string {
  switch (tool) {
    case 'curl':
      return `curl -fsS -m 10 --retry 5 -o /dev/null '${url}'`
    case 'wget':
      return t("wget -q -T 10 -t 5 -O /dev/null '{url}'", { url })
    case 'cron':
      return `${schedule(periodSeconds)} /path/to/job && curl -fsS -m 10 --retry 5 -o /dev/null '${url}'`
    case 'exit':
      return `curl -fsS -m 10 -o /dev/null '${url}/start'\n/path/to/job\ncurl -fsS -m 10 --retry 5 -o /dev/null "${url}/$?"`
    case 'powershell':
      return `Invoke-RestMethod -Uri '${url}' -TimeoutSec 10`
  }
}

/** The closest cron expression. */
function schedule(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60))
  if (minutes < 60) return `*/${minutes} * * * *`
  if (minutes < 1440) return `0 */${Math.round(minutes / 60)} * * *`
  return minutes < 10_080 ? '0 3 * * *' : '0 3 * * 1'
}

const signalTexts: Readonly<Record<PublicSchemas['Heartbeat']['signal'], string>> = {
  SUCCESS: t('Success'),
  START: t('Started'),
  FAIL: t('Failed'),
  LOG: t('Log'),
  EXIT: t('Finished'),
}

function Beat({ beat }: { beat: PublicSchemas['Heartbeat'] }) {
  const { at, signal, exitCode, durationMs, body } = beat
  return (
    <>
      <p class="flex flex-wrap items-baseline gap-x-3">
        <span class={`font-medium ${isFailure(beat) ? 'text-down-text' : ''}`}>
          {signalTexts[signal]}
          {exitCode !== null && t(' with exit code {exitCode}', { exitCode })}
        </span>
        <time dateTime={at} class="text-muted">
          {exactTime(at)}
        </time>
        {durationMs !== null && (
          <span class="sm:ms-auto">{tx('took {durationMs}', { durationMs: milliseconds(durationMs) })}</span>
        )}
      </p>
      {body !== null && body !== '' && (
        <details class="mt-1">
          <summary class="cursor-pointer text-muted">{t('Output')}</summary>
          <CodeBlock text={body} label={t('Output')} wrap />
        </details>
      )}
    </>
  )
}

function ReplaceHeartbeatUrl({ monitorId }: { monitorId: string }) {
  const { api, refresh } = useOrganization()
  const replace = async () => {
    const path = { monitorId }
    await api.POST('/api/v1/monitors/{monitorId}/heartbeat-token/rotate', { path, body: {} })
    await refresh('monitor')
    showToast(t('Heartbeat URL replaced'))
  }
  return (
    <ConfirmButton
      label={t('Replace URL')}
      title={t('Replace heartbeat URL?')}
      action={t('Replace')}
      onConfirm={replace}
    >
      <p>{t('The current URL stops working immediately. Update the job with the new one.')}</p>
    </ConfirmButton>
  )
}

type Heartbeat = PublicSchemas['Heartbeat']
type Incident = PublicSchemas['Incident']

type TimelineEntry =
  | { readonly kind: 'signal'; readonly at: string; readonly beat: Heartbeat }
  | { readonly kind: 'missed'; readonly at: string; readonly incident: Incident }
  /** `late`: the expected time is over, the grace period is not. */
  | { readonly kind: 'expected'; readonly at: string; readonly overdueAt: string; readonly late: boolean }

/** The server lists this many heartbeats at most. */
const MOST_BEATS = 100

/** Signals, missed heartbeats and the next expected one, newest first. */
function timelineOf(
  beats: readonly Heartbeat[],
  incidents: readonly Incident[],
  schedule: PublicSchemas['HeartbeatSchedule'] | null | undefined,
  now: number,
): readonly TimelineEntry[] {
  const oldest = beats.length < MOST_BEATS ? '' : (beats.at(-1)?.at ?? '')
  const missed = incidents.filter((one) => isMissed(one) && one.startedAt >= oldest)
  const entries: TimelineEntry[] = [
    ...beats.map((beat) => ({ kind: 'signal' as const, at: beat.at, beat })),
    ...missed.map((incident) => ({ kind: 'missed' as const, at: incident.startedAt, incident })),
  ].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  const { expectedAt = null, overdueAt = null } = schedule ?? {}
  const isMissing = missed.some(({ resolvedAt }) => resolvedAt === null)
  if (expectedAt === null || overdueAt === null || isMissing) return entries
  return [{ kind: 'expected', at: expectedAt, overdueAt, late: new Date(expectedAt).getTime() < now }, ...entries]
}

/** Other incidents of a job are failures that it reported, which are signals. */
function isMissed({ cause }: Incident): boolean {
  return cause?.startsWith('No heartbeat') === true
}
