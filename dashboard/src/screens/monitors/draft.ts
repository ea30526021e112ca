import { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { type Field, typeForms } from './types.ts'

type Monitor = PublicSchemas['Monitor']
type Body = PublicSchemas['CreateMonitor']

/** Form values of all types, so that changing the type keeps them. */
export interface Draft
  extends Pick<
    Monitor,
    | 'name'
    | 'type'
    | 'method'
    | 'followRedirects'
    | 'verifySsl'
    | 'keywordMatch'
    | 'dnsRecordType'
    | 'dnsAlertOnChange'
    | 'degradedThresholdMode'
  > {
  readonly url: string
  readonly host: string
  readonly port: number | null
  /** "200-206, 301" */
  readonly expectedStatus: string
  /** "Name: value", one per line. */
  readonly requestHeaders: string
  readonly requestBody: string
  readonly keyword: string
  readonly dnsExpected: string
  readonly sslExpiryThresholdDays: number | null
  readonly intervalSeconds: number | null
  readonly timeoutSeconds: number | null
  readonly expectedPeriodSec: number | null
  readonly graceSeconds: number | null
  readonly degradedThresholdMs: number | null
  readonly degradedSamples: number | null
}

const expectedByDefault = [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308]

/** Enough time to renew a certificate or a domain; the default of the API is 2. */
export const EXPIRY_WARNING_DAYS = 14

/** The defaults of the API, except the expiry warning. */
export const emptyDraft: Draft = {
  name: '',
  type: 'HTTP',
  url: '',
  host: '',
  port: null,
  method: 'GET',
  expectedStatus: statusText(expectedByDefault),
  requestHeaders: '',
  requestBody: '',
  followRedirects: true,
  verifySsl: true,
  keyword: '',
  keywordMatch: 'EXISTS',
  dnsRecordType: 'A',
  dnsExpected: '',
  dnsAlertOnChange: true,
  sslExpiryThresholdDays: EXPIRY_WARNING_DAYS,
  intervalSeconds: 300,
  timeoutSeconds: 30,
  // The API has no default; daily jobs are the most common.
  expectedPeriodSec: 86_400,
  graceSeconds: 60,
  degradedThresholdMs: null,
  degradedThresholdMode: 'LAST',
  degradedSamples: 3,
}

export function draftOf(monitor: Monitor): Draft {
  const { url, host, expectedStatus, requestHeaders, requestBody, keyword, dnsExpected, ...rest } = monitor
  return {
    ...rest,
    url: url ?? '',
    host: host ?? '',
    expectedStatus: statusText(expectedStatus),
    requestHeaders: Object.entries(requestHeaders ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    requestBody: requestBody ?? '',
    keyword: keyword ?? '',
    dnsExpected: dnsExpected ?? '',
    // Null means the interval, which the form of CRON monitors does not show.
    expectedPeriodSec: rest.expectedPeriodSec ?? (rest.type === 'CRON' ? Math.max(60, rest.intervalSeconds) : 86_400),
  }
}

/** The request body. Throws errors that can be found without the server. */
export function bodyOf(draft: Draft): Body {
  const values: Record<Field, unknown> = {
    ...draft,
    url: draft.url.trim() || null,
    host: draft.host.trim() || null,
    expectedStatus: statusesIn(draft.expectedStatus),
    requestHeaders: headersIn(draft.requestHeaders),
    requestBody: draft.requestBody || null,
    keyword: draft.keyword || null,
    dnsExpected: draft.dnsExpected.trim() || null,
  }
  const nullable: readonly Field[] = ['port', 'expectedPeriodSec', 'degradedThresholdMs']
  const fields = typeForms[draft.type].fields
    // An empty number uses the default.
    .map((field) => [field, values[field] ?? (nullable.includes(field) ? null : emptyDraft[field])] as const)
    .map(([field, value]) => [field, value === '' ? null : value] as const)
  return { name: draft.name.trim(), type: draft.type, ...Object.fromEntries(fields) } as Body
}

/** [200, 201, 202, 301] → "200-202, 301" */
function statusText(statuses: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const status of [...statuses].sort((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && status <= run[1] + 1) run[1] = status
    else runs.push([status, status])
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')
}

const MOST_STATUSES = 100

function statusesIn(text: string): number[] {
  const parts = text.split(/[,\s]+/).filter((part) => part !== '')
  const statuses = parts.flatMap((part) => {
    const [, first, last] = /^(\d{3})(?:-(\d{3}))?$/.exec(part) ?? []
    if (first === undefined)
      throw fault('expectedStatus', t('"{part}" is not a status code or a range such as 200-206', { part }))
    const to = Number(last ?? first)
    return Array.from({ length: Math.max(0, to - Number(first) + 1) }, (_, i) => Number(first) + i)
  })
  if (statuses.length === 0) throw fault('expectedStatus', t('Enter at least one status code'))
  if (statuses.length > MOST_STATUSES)
    throw fault('expectedStatus', t('Enter at most {mostStatuses} status codes', { mostStatuses: MOST_STATUSES }))
  return statuses
}

function headersIn(text: string): Record<string, string> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return null
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      if (at < 1) throw fault('requestHeaders', t('"{line}" is not in the format Name: value', { line: line.trim() }))
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function fault(path: string, message: string): RequestError {
  return new RequestError({ code: 'validation_error', message, status: 400, details: [{ path, message }] })
}
