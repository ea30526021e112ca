import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { type AppSchemas, type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { exactTime, milliseconds } from '../../lib/format.ts'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'

/** Heartbeat URL with copyable examples, and received heartbeats. */
export function Heartbeats({ monitor }: { monitor: PublicSchemas['Monitor'] }) {
  const { app, key } = useOrganization()
  const beats = useQuery({
    queryKey: key('monitor', monitor.id, 'heartbeats'),
    queryFn: () =>
      unwrap(app.GET('/app/api/monitors/{monitorId}/heartbeats', { params: { path: { monitorId: monitor.id } } })),
  })
  return (
    <>
      {monitor.heartbeatUrl !== null && (
        <Snippets url={monitor.heartbeatUrl} periodSeconds={monitor.expectedPeriodSec ?? monitor.intervalSeconds} />
      )}
      <Section title="Heartbeats" lead="Latest heartbeats, newest first">
        <QueryResult query={beats}>
          {({ data }) =>
            data.length === 0 ? (
              <p class="card px-4 py-8 text-center text-muted">No heartbeats yet.</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
              <ol class="card max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label="Heartbeats">
                {data.map((beat, i) => (
                  <Beat key={`${beat.at} ${i}`} beat={beat} />
                ))}
              </ol>
            )
          }
        </QueryResult>
      </Section>
    </>
  )
}

const tools = {
  curl: 'curl',
  wget: 'wget',
  cron: 'Crontab',
  exit: 'With exit code',
  powershell: 'PowerShell',
} as const
type Tool = keyof typeof tools
const choices = (Object.keys(tools) as Tool[]).map((value) => ({ value, label: tools[value] }))

function Snippets({ url, periodSeconds }: { url: string; periodSeconds: number }) {
  const [tool, setTool] = useState<Tool>('curl')
  return (
    <Section title="Heartbeat URL" lead="Call this URL after each successful run.">
      <div class="card space-y-3 p-4">
        <p class="flex items-center gap-2">
          <code class="min-w-0 grow break-all">{url}</code>
          <CopyButton text={url} label="Copy heartbeat URL" />
        </p>
        <SegmentedControl label="Tool" value={tool} choices={choices} onValue={setTool} />
        <CodeBlock text={snippet(tool, url, periodSeconds)} label={tools[tool]} />
        <p class="text-xs text-muted">
          Append <code>/start</code> when a run starts to measure its duration, <code>/fail</code> when it fails, and{' '}
          <code>/log</code> to send a message. Keep the URL secret: anyone who has it can send heartbeats.
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
      return `wget -q -T 10 -t 5 -O /dev/null '${url}'`
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

const said: Readonly<Record<AppSchemas['Heartbeat']['signal'], string>> = {
  success: 'Success',
  start: 'Started',
  fail: 'Failed',
  log: 'Log',
  exit: 'Finished',
}

function Beat({ beat: { at, signal, exitCode, durationMs, body } }: { beat: AppSchemas['Heartbeat'] }) {
  const isBad = signal === 'fail' || (exitCode !== null && exitCode !== 0)
  return (
    <li class="px-4 py-2">
      <p class="flex flex-wrap items-baseline gap-x-3">
        <span class={`font-medium ${isBad ? 'text-down-text' : ''}`}>
          {said[signal]}
          {exitCode !== null && ` with exit code ${exitCode}`}
        </span>
        <time dateTime={at} class="text-muted">
          {exactTime(at)}
        </time>
        {durationMs !== null && <span class="ms-auto">took {milliseconds(durationMs)}</span>}
      </p>
      {body !== null && body !== '' && (
        <details class="mt-1">
          <summary class="cursor-pointer text-muted">Output</summary>
          <CodeBlock text={body} label="Output" />
        </details>
      )}
    </li>
  )
}
