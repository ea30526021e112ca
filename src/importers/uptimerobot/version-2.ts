import { isObject } from '../../contract/validate.ts'
import { type JsonObject, objectsIn, textOf } from '../json-files.ts'
import { listOf, numberOf, textsOf } from '../read-answers.ts'
import type { RobotBody, RobotContact, RobotMonitor, RobotPage, RobotWindow } from './objects.ts'

const monitorTypes: Readonly<Record<string, string>> = { 1: 'HTTP', 2: 'KEYWORD', 3: 'PING', 4: 'PORT', 5: 'HEARTBEAT' }

/** By `sub_type`, if `port` is empty. */
const ports: Readonly<Record<string, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 }

const methods = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const authTypes = ['', 'BASIC', 'DIGEST']
const recurrences = [undefined, 'NONE', 'DAILY', 'WEEKLY', 'MONTHLY'] as const

export const contactTypes: Readonly<Record<string, string>> = {
  1: 'SMS',
  2: 'EMAIL',
  3: 'TWITTER',
  4: 'BOXCAR',
  5: 'WEBHOOK',
  6: 'PUSHBULLET',
  7: 'ZAPIER',
  8: 'PRO_SMS',
  9: 'PUSHOVER',
  10: 'HIPCHAT',
  11: 'SLACK',
  14: 'VOICE_CALL',
  15: 'SPLUNK',
  16: 'PAGERDUTY',
  17: 'OPSGENIE',
  18: 'TELEGRAM',
  20: 'TEAMS',
  21: 'GOOGLE_CHAT',
  23: 'DISCORD',
}

export function monitorOfVersion2(item: JsonObject): RobotMonitor {
  const type = textOf(item.type)
  return {
    id: textOf(item.id),
    name: textOf(item.friendly_name),
    type: monitorTypes[type] ?? type,
    url: textOf(item.url),
    port: numberOf(item.port) ?? ports[textOf(item.sub_type)],
    intervalSeconds: numberOf(item.interval) ?? 300,
    timeoutSeconds: numberOf(item.timeout),
    graceSeconds: undefined,
    isPaused: numberOf(item.status) === 0,
    method: methods[numberOf(item.http_method) ?? 2] ?? textOf(item.http_method),
    headers: textsOf(item.custom_http_headers),
    auth: {
      type: textOf(item.http_username) === '' ? '' : (authTypes[numberOf(item.http_auth_type) ?? 1] ?? 'UNKNOWN'),
      username: textOf(item.http_username),
      password: textOf(item.http_password),
    },
    body: bodyOf(item),
    statuses: [],
    statusChanges: statusChangesIn(textOf(item.custom_http_statuses)),
    verifySsl: numberOf(item.ignore_ssl_errors) !== 1,
    followRedirects: true,
    keyword: textOf(item.keyword_value),
    // It alerts if the keyword exists.
    keywordMatch: numberOf(item.keyword_type) === 1 ? 'NOT_EXISTS' : 'EXISTS',
    isKeywordCaseSensitive: numberOf(item.keyword_case_type) !== 1,
    degradedThresholdMs: 0,
    certificateDays: [],
    remindsOfDomain: false,
    region: '',
    config: {},
    tags: [],
    groupId: '',
    contacts: objectsIn(item.alert_contacts).map((contact) => ({
      id: contactId(contact.id),
      thresholdMinutes: numberOf(contact.threshold) ?? 0,
      recurrenceMinutes: numberOf(contact.recurrence) ?? 0,
    })),
    windowIds: objectsIn(item.mwindows).map(({ id }) => textOf(id)),
  }
}

/** The id of the first contact of an account has a zero in front in some answers. */
export function contactId(id: unknown): string {
  return textOf(id).replace(/^0+(?=\d)/, '')
}

function bodyOf(item: JsonObject): RobotBody | undefined {
  const { post_value: value } = item
  if (value === null || value === undefined || value === '') return undefined
  if (numberOf(item.post_type) === 1) return { type: 'FORM', values: textsOf(value) }
  const contentType = numberOf(item.post_content_type) === 1 ? 'application/json' : 'text/html'
  return { type: 'RAW', text: isObject(value) ? JSON.stringify(value) : textOf(value), contentType }
}

/** `404:0_200:1` */
function statusChangesIn(text: string): Readonly<Record<string, boolean>> {
  const pairs = text.split('_').map((pair) => pair.split(':'))
  return Object.fromEntries(pairs.flatMap(([code = '', up]) => (/^\d{3}$/.test(code) ? [[code, up === '1']] : [])))
}

export function contactOfVersion2(item: JsonObject): RobotContact {
  const type = textOf(item.type)
  return {
    id: textOf(item.id),
    name: textOf(item.friendly_name),
    type: contactTypes[type] ?? type,
    value: textOf(item.value),
    // 0: not activated, 1: paused, 2: active
    isActive: numberOf(item.status) !== 0,
  }
}

export function windowOfVersion2(item: JsonObject): RobotWindow {
  const recurrence = recurrences[numberOf(item.type) ?? 0]
  return {
    id: textOf(item.id),
    name: textOf(item.friendly_name),
    isPaused: numberOf(item.status) === 0,
    recurrence,
    start:
      recurrence === 'NONE'
        ? { atSeconds: numberOf(item.start_time) ?? Number.NaN }
        : { date: undefined, time: textOf(item.start_time) },
    durationMinutes: numberOf(item.duration) ?? Number.NaN,
    // `2-4-7`; the last day of a month is -1.
    days: (textOf(item.value).match(/(?<=^|-)-?\d+/g) ?? []).map(Number),
    monitorIds: [],
    isForAll: false,
  }
}

export function pageOfVersion2(item: JsonObject): RobotPage {
  return {
    id: textOf(item.id),
    name: textOf(item.friendly_name),
    isPublished: numberOf(item.status) !== 0,
    domain: textOf(item.custom_url),
    // 0: all
    monitorIds: Array.isArray(item.monitors) ? listOf(item.monitors).map(textOf) : undefined,
    hasPassword: textOf(item.password) !== '',
    settings: {},
  }
}
