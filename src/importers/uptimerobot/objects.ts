/** The objects of version 3 of the API. Those of version 2 are written in its form before (`version-2.ts`). */
import { isObject } from '../../lib/json.ts'
import { given, type JsonObject, listOf, numberOf, objectIn, objectsIn, textOf, textsOf } from '../json-files.ts'

export type RobotMonitor = ReturnType<typeof monitorIn>

export function monitorIn(item: JsonObject) {
  const config = objectIn(item.config)
  const authType = textOf(item.authType).toUpperCase()
  return {
    id: textOf(item.id),
    name: textOf(item.friendlyName),
    type: textOf(item.type).toUpperCase(),
    url: textOf(item.url),
    port: numberOf(item.port),
    intervalSeconds: numberOf(item.interval) ?? 300,
    timeoutSeconds: numberOf(item.timeout),
    graceSeconds: numberOf(item.gracePeriod),
    isPaused: textOf(item.status) === 'PAUSED',
    method: textOf(item.httpMethodType).toUpperCase() || 'GET',
    headers: textsOf(item.customHttpHeaders),
    auth: {
      type: authType === 'NONE' ? '' : authType.replace(/^HTTP_/, ''),
      username: textOf(item.httpUsername),
      password: textOf(item.httpPassword),
    },
    body: bodyIn(item),
    /** Codes and classes such as `2xx`; empty: 2xx and 3xx. */
    statuses: listOf(item.successHttpResponseCodes).map(textOf),
    statusChanges: statusChangesIn(textOf(item.customHttpStatuses)),
    verifySsl: item.checkSSLErrors !== false,
    followRedirects: item.followRedirections !== false,
    keyword: textOf(item.keywordValue),
    keywordMatch: textOf(item.keywordType) === 'ALERT_EXISTS' ? 'NOT_EXISTS' : 'EXISTS',
    isKeywordCaseSensitive: !['1', 'CaseInsensitive'].includes(textOf(item.keywordCaseType)),
    degradedThresholdMs: numberOf(item.responseTimeThreshold) ?? 0,
    certificateDays: item.sslExpirationReminder === true ? listOf(config.sslExpirationPeriodDays).map(Number) : [],
    remindsOfDomain: item.domainExpirationReminder === true,
    region: isObject(item.regionalData)
      ? listOf(item.regionalData.REGION).map(textOf).join(', ')
      : textOf(item.regionalData),
    config,
    tags: objectsIn(item.tags).map(({ name }) => textOf(name)),
    groupId: textOf(item.groupId).replace(/^0$/, ''),
    /** With the delay and the repetition of their alerts. */
    contacts: objectsIn(item.assignedAlertContacts).map((contact) => ({
      id: contactId(contact.alertContactId),
      thresholdMinutes: numberOf(contact.threshold) ?? 0,
      recurrenceMinutes: numberOf(contact.recurrence) ?? 0,
    })),
    windowIds: objectsIn(item.maintenanceWindows).map(({ id }) => textOf(id)),
  }
}

/** The id of the first contact of an account has a zero in front in some answers. */
export function contactId(id: unknown): string {
  return textOf(id).replace(/^0+(?=\d)/, '')
}

function bodyIn({ postValueType, postValueData: value, postContentType }: JsonObject) {
  if (value === null || value === undefined || value === '') return undefined
  if (textOf(postValueType) === 'KEY_VALUE') return { type: 'FORM', values: textsOf(value) } as const
  const text = isObject(value) ? JSON.stringify(value) : textOf(value)
  return { type: 'RAW', text, contentType: textOf(postContentType) || 'application/json' } as const
}

/** Codes that are up or down besides the usual ones: `404:0_200:1`. */
function statusChangesIn(text: string): Readonly<Record<string, boolean>> {
  const pairs = text.split('_').map((pair) => pair.split(':'))
  return Object.fromEntries(pairs.flatMap(([code = '', up]) => (/^\d{3}$/.test(code) ? [[code, up === '1']] : [])))
}

export type RobotContact = ReturnType<typeof contactIn>

export function contactIn(item: JsonObject) {
  const type = textOf(item.type)
  return {
    id: textOf(item.id),
    name: textOf(item.friendlyName),
    type: contactTypes[type] ?? type.toUpperCase().replace(/[ -]/g, '_').replace('E_MAIL', 'EMAIL'),
    value: textOf(item.value),
    isActive: !/not.?activated|pending/i.test(textOf(item.status)),
  }
}

const contactTypes: Readonly<Record<string, string>> = {
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

export type RobotWindow = ReturnType<typeof windowIn>

export function windowIn(item: JsonObject) {
  return {
    id: textOf(item.id),
    name: textOf(item.name),
    isPaused: textOf(item.status) === 'paused',
    recurrence: recurrences[textOf(item.interval)],
    /** The moment, if the answer has it. */
    startsAtSeconds: numberOf(item.startsAtSeconds),
    date: textOf(item.date).slice(0, 10) || undefined,
    time: textOf(item.time),
    durationMinutes: numberOf(item.duration) ?? Number.NaN,
    days: listOf(item.days).map(Number),
    /** Besides those that name the window themselves. 0: all. */
    monitorIds: listOf(item.monitorIds)
      .map(textOf)
      .filter((id) => id !== '0'),
    isForAll: item.autoAddMonitors === true || listOf(item.monitorIds).includes(0),
  }
}

const recurrences: Readonly<Record<string, string>> = {
  once: 'NONE',
  daily: 'DAILY',
  weekly: 'WEEKLY',
  monthly: 'MONTHLY',
}

export type RobotPage = ReturnType<typeof pageIn>

export function pageIn(item: JsonObject) {
  const { page, colors, features } = objectIn(item.customSettings)
  const theme = textOf(objectIn(page).theme).toUpperCase()
  const ids = listOf(item.monitorIds).map(textOf)
  return {
    id: textOf(item.id),
    name: textOf(item.friendlyName),
    isPublished: textOf(item.status) !== 'PAUSED' && textOf(item.status) !== 'DISABLED',
    domain: textOf(item.customDomain),
    /** Undefined: all monitors. */
    monitorIds: ids.includes('0') ? undefined : ids,
    hasPassword: item.isPasswordSet === true,
    settings: {
      ...(['LIGHT', 'DARK'].includes(theme) && { theme }),
      ...given('accentColor', objectIn(colors).main),
      ...given('homepageUrl', item.homepageLink),
      ...given('logoUrl', item.logo),
      ...given('faviconUrl', item.icon),
      ...(item.noIndex === true && { hideFromSearch: true }),
      ...(item.subscription === true && { subscribersEnabled: true }),
      ...(String(objectIn(features).showUptimePercentage) === 'false' && { showUptime: false }),
    },
  }
}
