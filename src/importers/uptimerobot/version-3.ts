import { isObject } from '../../contract/validate.ts'
import { given, type JsonObject, objectsIn, textOf } from '../json-files.ts'
import { listOf, numberOf, textsOf } from '../read-answers.ts'
import type { RobotBody, RobotContact, RobotMonitor, RobotPage, RobotWindow } from './objects.ts'
import { contactId, contactTypes } from './version-2.ts'

export function monitorOfVersion3(item: JsonObject): RobotMonitor {
  const config = isObject(item.config) ? item.config : {}
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
    body: bodyOf(item),
    statuses: listOf(item.successHttpResponseCodes).map(textOf),
    statusChanges: {},
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
    contacts: objectsIn(item.assignedAlertContacts).map((contact) => ({
      id: contactId(contact.alertContactId),
      thresholdMinutes: numberOf(contact.threshold) ?? 0,
      recurrenceMinutes: numberOf(contact.recurrence) ?? 0,
    })),
    windowIds: objectsIn(item.maintenanceWindows).map(({ id }) => textOf(id)),
  }
}

function bodyOf({ postValueType, postValueData: value }: JsonObject): RobotBody | undefined {
  if (value === null || value === undefined || value === '') return undefined
  if (textOf(postValueType) === 'KEY_VALUE') return { type: 'FORM', values: textsOf(value) }
  return { type: 'RAW', text: isObject(value) ? JSON.stringify(value) : textOf(value), contentType: 'application/json' }
}

export function contactOfVersion3(item: JsonObject): RobotContact {
  const type = textOf(item.type)
  return {
    id: textOf(item.id),
    name: textOf(item.friendlyName),
    type: contactTypes[type] ?? type.toUpperCase().replace(/[ -]/g, '_').replace('E_MAIL', 'EMAIL'),
    value: textOf(item.value),
    isActive: !/not.?activated|pending/i.test(textOf(item.status)),
  }
}

const recurrences: Readonly<Record<string, RobotWindow['recurrence']>> = {
  once: 'NONE',
  daily: 'DAILY',
  weekly: 'WEEKLY',
  monthly: 'MONTHLY',
}

export function windowOfVersion3(item: JsonObject): RobotWindow {
  return {
    id: textOf(item.id),
    name: textOf(item.name),
    isPaused: textOf(item.status) === 'paused',
    recurrence: recurrences[textOf(item.interval)],
    start: { date: textOf(item.date).slice(0, 10) || undefined, time: textOf(item.time) },
    durationMinutes: numberOf(item.duration) ?? Number.NaN,
    days: listOf(item.days).map(Number),
    // 0: all
    monitorIds: listOf(item.monitorIds)
      .map(textOf)
      .filter((id) => id !== '0'),
    isForAll: item.autoAddMonitors === true || listOf(item.monitorIds).includes(0),
  }
}

export function pageOfVersion3(item: JsonObject): RobotPage {
  const custom = isObject(item.customSettings) ? item.customSettings : {}
  const [page, colors, features] = [custom.page, custom.colors, custom.features].map((part) =>
    isObject(part) ? part : {},
  ) as [JsonObject, JsonObject, JsonObject]
  const theme = textOf(page.theme).toUpperCase()
  const ids = listOf(item.monitorIds).map(textOf)
  return {
    id: textOf(item.id),
    name: textOf(item.friendlyName),
    isPublished: textOf(item.status) !== 'PAUSED' && textOf(item.status) !== 'DISABLED',
    domain: textOf(item.customDomain),
    monitorIds: ids.includes('0') ? undefined : ids,
    hasPassword: item.isPasswordSet === true,
    settings: {
      ...(['LIGHT', 'DARK'].includes(theme) && { theme }),
      ...given('accentColor', colors.main),
      ...given('homepageUrl', item.homepageLink),
      ...given('logoUrl', item.logo),
      ...given('faviconUrl', item.icon),
      ...(item.noIndex === true && { hideFromSearch: true }),
      ...(item.subscription === true && { subscribersEnabled: true }),
      ...(String(features.showUptimePercentage) === 'false' && { showUptime: false }),
    },
  }
}
