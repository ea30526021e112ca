import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'

export type Tool = PublicSchemas['Import']['source']

interface ToolText {
  readonly value: Tool
  readonly name: string
  /** Which files to upload. */
  readonly files: string
}

const answers = t('Save the JSON answers of its API, one file for each list, and select all of them.')

export const tools: readonly ToolText[] = [
  {
    value: 'kuma',
    name: 'Uptime Kuma',
    files: t('Copy kuma.db from the data folder of Uptime Kuma, and kuma.db-wal if there is one.'),
  },
  { value: 'gatus', name: 'Gatus', files: t('Select the YAML files of its configuration.') },
  { value: 'uptimerobot', name: 'UptimeRobot', files: answers },
  { value: 'betterstack', name: 'Better Stack', files: answers },
  { value: 'healthchecks', name: 'Healthchecks', files: answers },
  { value: 'statuscake', name: 'StatusCake', files: answers },
  { value: 'statuspage', name: 'Statuspage', files: answers },
]

export function toolName(tool: Tool): string {
  return tools.find(({ value }) => value === tool)?.name ?? tool
}
