import type { PublicSchemas } from '../../api/client.ts'

/** One line per monitor, then one per value of the label. Numbers have a point, so that programs read them in any language. */
export function reportCsv({ month, timezone, data, groups }: PublicSchemas['UptimeReport']): string {
  const lines = [
    [
      'month',
      'timezone',
      'kind',
      'name',
      'labels',
      'uptime_percent',
      'up_seconds',
      'down_seconds',
      'paused_seconds',
      'maintenance_seconds',
      'unknown_seconds',
    ],
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
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('')
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

/** A text that a spreadsheet would run as a formula begins with an apostrophe. */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
