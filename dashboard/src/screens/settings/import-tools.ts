import { t } from '../../lib/i18n.ts'

export type Tool = ('kuma' | 'gatus' | 'uptimerobot' | 'betterstack') | ('healthchecks' | 'statuscake' | 'statuspage')

interface ToolText {
  readonly value: Tool
  readonly label: string
  /** Which files to upload. */
  readonly files: string
}

const answers = t('Save the JSON answers of its API, one file for each list, and select all of them.')

export const tools: readonly ToolText[] = [
  {
    value: 'kuma',
    label: 'Uptime Kuma',
    files: t('Copy kuma.db from the data folder of Uptime Kuma, and kuma.db-wal if there is one.'),
  },
  { value: 'gatus', label: 'Gatus', files: t('Select the YAML files of its configuration.') },
  { value: 'uptimerobot', label: 'UptimeRobot', files: answers },
  { value: 'betterstack', label: 'Better Stack', files: answers },
  { value: 'healthchecks', label: 'Healthchecks', files: answers },
  { value: 'statuscake', label: 'StatusCake', files: answers },
  { value: 'statuspage', label: 'Statuspage', files: answers },
]

export function toolName(tool: string): string {
  return tools.find(({ value }) => value === tool)?.label ?? tool
}
