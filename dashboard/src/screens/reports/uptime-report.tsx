import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { Download, Printer } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { csvLine } from '../../../../src/lib/csv.ts'
import type { Clients, PublicSchemas } from '../../api/client.ts'
import { useKnownLabels } from '../../api/labels.ts'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { download } from '../../lib/download.ts'
import { duration, longMonth, percent } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { wallClockText } from '../../lib/time-zones.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Select } from '../../ui/select.tsx'

type Report = PublicSchemas['UptimeReport']

/** The uptime of a calendar month, per monitor and per value of a label, to print or as CSV. */
export default function UptimeReport() {
  const { api, key, organization } = useOrganization()
  const [search, change] = useSearchState()
  const thisMonth = wallClockText(Date.now(), organization.timezone).slice(0, 7)
  const month = /^\d{4}-\d\d$/.test(search.get('month') ?? '') ? (search.get('month') as string) : thisMonth
  const groupBy = search.get('label') ?? ''
  const labels = useKnownLabels(true)
  const report = useQuery({
    queryKey: key('monitor', 'report', month, groupBy),
    queryFn: () => wholeReport(api, month, groupBy),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title={t('Uptime report')}
      lead={t('{month}, time zone {timezone}', { month: longMonth(month), timezone: organization.timezone })}
      actions={
        report.data !== undefined && (
          <div class="flex gap-2 print:hidden">
            <Button
              icon={<Download />}
              onClick={() =>
                download(`uptime-${report.data.month}.csv`, new Blob([reportCsv(report.data)], { type: 'text/csv' }))
              }
            >
              {t('CSV')}
            </Button>
            <Button icon={<Printer />} onClick={() => window.print()}>
              {t('Print')}
            </Button>
          </div>
        )
      }
    >
      <div class="mb-4 flex flex-wrap gap-2 print:hidden">
        <input
          class="input w-auto"
          type="month"
          aria-label={t('Month')}
          value={month}
          max={thisMonth}
          onChange={({ currentTarget: { value } }) => change({ month: value === thisMonth ? null : value })}
        />
        <Select
          aria-label={t('Group by')}
          value={groupBy}
          onValue={(label) => change({ label })}
          choices={[
            { value: '', label: t('No groups') },
            ...labels.map(({ label }) => ({ value: label, label: t('Group by label {label}', { label }) })),
          ]}
        />
      </div>
      <QueryResult query={report} lines={8}>
        {(data) =>
          data.data.length === 0 ? (
            <EmptyState title={t('No monitors yet')} />
          ) : (
            <>
              {data.groups.length > 0 && <Groups report={data} label={groupBy} />}
              <Monitors report={data} />
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}

async function wholeReport(api: Clients['api'], month: string, groupBy: string): Promise<Report> {
  let first: Report | undefined
  const data = await fetchAllPages(async (page) => {
    // The groups come with every page; the first is enough.
    const query = { month, ...page, ...(groupBy !== '' && first === undefined && { groupBy }) }
    const part = await api.GET('/api/v1/uptime-report', { query })
    first ??= part
    return part
  })
  return { ...(first as Report), data }
}

function Groups({ report, label }: { report: Report; label: string }) {
  return (
    <Section title={t('By label {label}', { label })}>
      <Table head={label}>
        {report.groups.map(({ value, monitors, ...times }) => (
          <Row
            key={value}
            name={value ?? t('Without {label}', { label })}
            note={plural(monitors, 'monitor')}
            times={times}
          />
        ))}
      </Table>
    </Section>
  )
}

function Monitors({ report }: { report: Report }) {
  return (
    <Section title={t('Monitors')}>
      <Table head={t('Name')}>
        {report.data.map(({ id, name, ...times }) => (
          <Row
            key={id}
            name={
              <Link href={`/monitors/${id}`} class="hover:underline">
                {name}
              </Link>
            }
            times={times}
          />
        ))}
      </Table>
    </Section>
  )
}

function Table({ head, children }: { head: string; children: preact.ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <div class="card overflow-x-auto" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">{t('Uptime')}</th>
            <th scope="col">{t('Downtime')}</th>
            <th scope="col">{t('Monitored')}</th>
            <th scope="col">{t('Not monitored')}</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly name: preact.ComponentChildren
  readonly note?: string
  readonly times: Pick<Report['data'][number], 'uptime' | 'upMs' | 'downMs' | 'unknownMs'>
}

function Row({ name, note, times: { uptime, upMs, downMs, unknownMs } }: RowProps) {
  return (
    <tr>
      <th scope="row" class="border-t border-line text-sm font-normal wrap-anywhere text-ink">
        {name} {note !== undefined && <span class="text-xs text-muted">{note}</span>}
      </th>
      <td>{percent(uptime)}</td>
      <td>{uptime === null ? '–' : duration(downMs / 1000)}</td>
      <td>{uptime === null ? '–' : duration((upMs + downMs) / 1000)}</td>
      <td>{unknownMs === 0 ? '–' : duration(unknownMs / 1000)}</td>
    </tr>
  )
}

const columns = [
  ...['month', 'timezone', 'kind', 'name', 'labels', 'uptime_percent', 'up_seconds', 'down_seconds'],
  ...['paused_seconds', 'maintenance_seconds', 'unknown_seconds'],
]

/** One line per monitor, then one per value of the label. Numbers have a point, so that programs read them in any language. */
function reportCsv({ month, timezone, data, groups }: PublicSchemas['UptimeReport']): string {
  const lines = [
    columns,
    ...data.map(({ name, labels, ...times }) => [
      month,
      timezone,
      'monitor',
      name,
      labelText(labels),
      ...figures(times),
    ]),
    ...groups.map(({ value, ...times }) => [month, timezone, 'label', value ?? '', '', ...figures(times)]),
  ]
  return lines.map((cells) => csvLine(cells)).join('')
}

type Times = Pick<
  PublicSchemas['ReportedGroup'],
  'uptime' | 'upMs' | 'downMs' | 'pausedMs' | 'maintenanceMs' | 'unknownMs'
>

function figures({ uptime, upMs, downMs, pausedMs, maintenanceMs, unknownMs }: Times): readonly (string | number)[] {
  const seconds = [upMs, downMs, pausedMs, maintenanceMs, unknownMs].map((ms) => Math.round(ms / 1000))
  // Rounded down, so that 100 means no downtime.
  return [uptime === null ? '' : Math.floor(uptime * 100_000) / 1000, ...seconds]
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')
}
