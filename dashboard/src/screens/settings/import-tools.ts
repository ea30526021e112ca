import { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { type ApiFault, errorText } from '../../lib/faults.ts'
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

type Import = PublicSchemas['Import']

/** Uploads files of another tool. Not with fetch, which does not report progress: `onProgress` gets the part that was sent. */
export function uploadImport(
  organizationId: string,
  tool: Tool,
  files: readonly File[],
  onProgress: (part: number) => void,
): Promise<Import> {
  const list = files.map(({ name, size }) => `${name.replaceAll(/[^\w.-]+/g, '_')}:${size}`).join()
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/app/api/v1/imports?${new URLSearchParams({ source: tool, files: list })}`)
    request.setRequestHeader('X-Pharos-Organization', organizationId)
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () => reject(new RequestError({ code: 'unreachable', message: interrupted(), status: 0 }))
    request.onload = () =>
      request.status === 201 ? resolve(JSON.parse(request.responseText)) : reject(errorOf(request))
    request.send(new Blob([...files]))
  })
}

function interrupted(): string {
  return t('The upload was interrupted. A proxy in front of Pharos may not allow files of this size.')
}

function errorOf({ status, responseText }: XMLHttpRequest): RequestError {
  try {
    const { error } = JSON.parse(responseText) as { error: ApiFault & { code: string } }
    return new RequestError({ ...error, message: errorText(error), status })
  } catch {
    // The page of a proxy.
    return new RequestError({ code: 'unexpected', message: interrupted(), status })
  }
}
