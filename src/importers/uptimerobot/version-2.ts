/** Objects of version 2 of the API in the form of version 3. */
import { type JsonObject, numberOf, objectsIn, textOf } from '../json-files.ts'

const monitorTypes: Readonly<Record<string, string>> = { 1: 'HTTP', 2: 'KEYWORD', 3: 'PING', 4: 'PORT', 5: 'HEARTBEAT' }

/** By `sub_type`, if `port` is empty. */
const ports: Readonly<Record<string, number>> = { 1: 80, 2: 443, 3: 21, 4: 25, 5: 110, 6: 143 }

const methods = ['', 'HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const authTypes = ['NONE', 'BASIC', 'DIGEST']
const intervals = ['', 'once', 'daily', 'weekly', 'monthly']

/** Version 2 writes names with underscores. */
export function isVersion2(item: JsonObject): boolean {
  return 'friendly_name' in item
}

export function monitorOfVersion2(item: JsonObject): JsonObject {
  const { id, friendly_name: friendlyName, url, interval, timeout } = item
  const type = textOf(item.type)
  const hasLogin = textOf(item.http_username) !== ''
  return {
    id,
    friendlyName,
    type: monitorTypes[type] ?? type,
    url,
    port: numberOf(item.port) ?? ports[textOf(item.sub_type)],
    interval,
    timeout,
    status: numberOf(item.status) === 0 ? 'PAUSED' : '',
    httpMethodType: methods[numberOf(item.http_method) ?? 2] ?? item.http_method,
    customHttpHeaders: item.custom_http_headers,
    authType: hasLogin ? (authTypes[numberOf(item.http_auth_type) ?? 1] ?? 'UNKNOWN') : 'NONE',
    httpUsername: item.http_username,
    httpPassword: item.http_password,
    postValueType: numberOf(item.post_type) === 1 ? 'KEY_VALUE' : 'RAW',
    postValueData: item.post_value,
    postContentType: numberOf(item.post_content_type) === 1 ? 'application/json' : 'text/html',
    customHttpStatuses: item.custom_http_statuses,
    checkSSLErrors: numberOf(item.ignore_ssl_errors) !== 1,
    keywordValue: item.keyword_value,
    // It alerts if the keyword exists.
    keywordType: numberOf(item.keyword_type) === 1 ? 'ALERT_EXISTS' : '',
    keywordCaseType: item.keyword_case_type,
    assignedAlertContacts: objectsIn(item.alert_contacts).map((contact) => ({
      ...contact,
      alertContactId: contact.id,
    })),
    maintenanceWindows: item.mwindows,
  }
}

export function contactOfVersion2({ id, friendly_name: friendlyName, type, value, status }: JsonObject): JsonObject {
  // 0: not activated, 1: paused, 2: active
  return { id, friendlyName, type, value, status: numberOf(status) === 0 ? 'pending' : '' }
}

export function windowOfVersion2({ id, friendly_name: name, duration, ...item }: JsonObject): JsonObject {
  const interval = intervals[numberOf(item.type) ?? 0]
  return {
    id,
    name,
    status: numberOf(item.status) === 0 ? 'paused' : '',
    interval,
    ...(interval === 'once' ? { startsAtSeconds: item.start_time } : { time: item.start_time }),
    duration,
    // `2-4-7`; the last day of a month is -1.
    days: textOf(item.value).match(/(?<=^|-)-?\d+/g),
  }
}

export function pageOfVersion2({ id, friendly_name: friendlyName, monitors, ...item }: JsonObject): JsonObject {
  return {
    id,
    friendlyName,
    status: numberOf(item.status) === 0 ? 'PAUSED' : '',
    customDomain: item.custom_url,
    // 0: all
    monitorIds: Array.isArray(monitors) ? monitors : [0],
    isPasswordSet: textOf(item.password) !== '',
  }
}
