import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { nearestName } from '../lib/nearest-name.ts'
import { labelKey, MAX_LABEL_VALUE_CHARS } from '../lib/selector.ts'
import { truncate } from '../lib/text.ts'
import type { MonitorFields } from './found.ts'

/** Gets what is wrong, a sentence each. */
export type Report = (problem: string) => void

/** What a label or an annotation can set. `pharos.http`, `pharos.io/http`, and `pharos.admin.http` for a further monitor. */
const settingNames = [
  'enabled',
  'http',
  'tcp',
  'path',
  'port',
  'name',
  'interval',
  'timeout',
  'labels',
  'keyword',
  'method',
  'expected-status',
  'verify-ssl',
] as const
type SettingName = (typeof settingNames)[number]

type Values = Partial<Record<SettingName, string>>

/** A label or annotation with a prefix, and what it says. */
const MAX_LABEL_CHARS = 200
const MAX_TEXT_CHARS = 2_048
/** Of one container or object. */
const MAX_MONITORS = 100

/** The settings of one monitor of a container or an object. */
export interface MonitorSettings {
  /** Empty for the monitor without a name of its own. */
  readonly suffix: string
  readonly values: Values
}

export interface Settings {
  readonly enabled: boolean | undefined
  /** The settings without a monitor's name. They are defaults of the others. */
  readonly common: Values
  /** The monitors with an address. */
  readonly monitors: readonly MonitorSettings[]
}

/** Reads the labels or annotations of one container or object. */
export function readSettings(texts: Readonly<Record<string, string>>, prefix: string, report: Report): Settings {
  const groups = new Map<string, Values>([['', {}]])
  for (const [label, text] of Object.entries(texts)) {
    if (!label.startsWith(prefix)) continue
    const [, suffix = '', name = ''] = /^(?:([a-z0-9-]+)\.)?(.*)$/.exec(label.slice(prefix.length)) ?? []
    const known = settingNames.find((one) => one === name)
    if (label.length > MAX_LABEL_CHARS || text.length > MAX_TEXT_CHARS) {
      report(`${truncate(label, MAX_LABEL_CHARS)} is too long; ${MAX_TEXT_CHARS} characters are allowed`)
      continue
    }
    if (known === undefined) {
      const nearest = nearestName(settingNames, () => name)
      report(
        `${label} is not known${nearest === undefined ? '' : `; did you mean ${label.slice(0, -name.length)}${nearest}?`}`,
      )
      continue
    }
    if (groups.size > MAX_MONITORS && !groups.has(suffix)) {
      report(`describes more than ${MAX_MONITORS} monitors; the others are left out`)
      break
    }
    groups.getOrInsertComputed(suffix, () => ({}))[known] = text.trim()
  }
  const common = groups.get('') ?? {}
  const { http, tcp, name: _, path: _path, port: _port, ...inherited } = common
  const monitors = [...groups].flatMap(([suffix, own]): MonitorSettings[] => {
    const at = suffix === '' ? prefix : `${prefix}${suffix}.`
    if (own.http !== undefined && own.tcp !== undefined) {
      report(`has both ${at}http and ${at}tcp; use ${prefix}NAME.tcp for a second monitor`)
    }
    if (own.http !== undefined || own.tcp !== undefined) {
      return [{ suffix, values: suffix === '' ? own : { ...inherited, ...own } }]
    }
    if (suffix !== '') report(`has ${at}${Object.keys(own)[0]}, but neither ${at}http nor ${at}tcp`)
    return []
  })
  return { enabled: common.enabled === undefined ? undefined : common.enabled !== 'false', common, monitors }
}

const MAX_NAME_CHARS = 120
const METHOD_DEFAULT = 'GET'

/** The fields of a monitor besides its address. A value that cannot be read is reported, and its default is used. */
export function fieldsOf(
  values: Values,
  defaultName: string,
  labels: Readonly<Record<string, string>>,
  report: Report,
): Omit<MonitorFields, 'type' | 'url' | 'host' | 'port'> {
  const intervalSeconds = seconds(values.interval, 'interval', 30, 86_400, report)
  const timeoutSeconds = seconds(values.timeout, 'timeout', 1, 60, report)
  // Settings without a name may be meant for the other monitors of the container.
  const http = values.http === undefined && values.tcp !== undefined ? {} : values
  const method = http.method?.toUpperCase()
  const expectedStatus = http['expected-status']?.split(',').map(Number)
  if (expectedStatus?.some((code) => !Number.isInteger(code)) === true) {
    report(`expected-status "${values['expected-status']}" is not a list such as 200,204`)
  }
  return {
    name: (values.name || defaultName).slice(0, MAX_NAME_CHARS),
    labels: { ...labels, ...labelsIn(values.labels, report) },
    ...(intervalSeconds !== undefined && { intervalSeconds }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(http.keyword && { keyword: http.keyword }),
    ...(method && method !== METHOD_DEFAULT && { method }),
    ...(expectedStatus?.every(Number.isInteger) === true && { expectedStatus }),
    ...(http['verify-ssl'] === 'false' && { verifySsl: false }),
  }
}

/** The target of an HTTP monitor. Undefined, and reported, if the address is wrong. */
export function httpTarget(
  address: string,
  keyword: string | undefined,
  report: Report,
): Pick<MonitorFields, 'type' | 'url'> | undefined {
  const url = URL.parse(address)
  // A URL drops line breaks, and takes spaces for others.
  if (url === null || !/^https?:$/.test(url.protocol) || /[\p{Cc}\s]/u.test(address)) {
    report(`"${address}" is not an address such as https://shop.example.com/health`)
    return undefined
  }
  if (url.username !== '' || url.password !== '') {
    report(`the address of ${url.host} has a password, which everybody who sees labels can read; remove it`)
    return undefined
  }
  return { type: keyword ? 'KEYWORD' : 'HTTP', url: address }
}

/** `db.example.com:5432`, `[::1]:5432` */
export function tcpTarget(address: string, report: Report): Pick<MonitorFields, 'type' | 'host' | 'port'> | undefined {
  const [, host = '', port = ''] = /^(?:tcp:\/\/)?\[?([^/[\]]+?)\]?:(\d{1,5})$/.exec(address) ?? []
  if (host === '') {
    report(`"${address}" is not a host and a port such as db.example.com:5432`)
    return undefined
  }
  return { type: 'PORT', host, port: Number(port) }
}

const unitsMs: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `90`, which are seconds, `90s`, `5m`, `12h`, `1d`. Undefined if it is none of these. */
export function durationMs(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] as number)
}

function seconds(text: string | undefined, name: string, min: number, max: number, report: Report): number | undefined {
  if (text === undefined) return undefined
  const value = (durationMs(text) ?? Number.NaN) / SECOND_MS
  if (value >= min && value <= max) return value
  report(`${name} "${text}" is not a duration such as 60s or 5m, from ${min} to ${max} seconds`)
  return undefined
}

/** `team=shop,env=prod` */
function labelsIn(text: string | undefined, report: Report): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const part of (text ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [key = '', ...rest] = part.split('=')
    const value = rest.join('=').trim()
    if (rest.length > 0 && labelKey.test(key.trim()) && value.length <= MAX_LABEL_VALUE_CHARS)
      labels[key.trim()] = value
    else report(`"${part.trim()}" is not a label such as team=shop`)
  }
  return labels
}
