import { optionNamed, optionNames } from '../../../monitoring/monitor-options/definitions.ts'
import { definitions, monitorTypes } from '../../../monitoring/monitor-types/definitions.ts'
import { configurationExamples } from './configuration.ts'
import { contact, contactExamples } from './contacts.ts'
import { detailExamples, noteId, subscriberId } from './details.ts'
import { importExamples, importId } from './imports.ts'
import { insight } from './insight.ts'
import { deleted, type OperationExample, pageOf } from './operation-example.ts'
import * as r from './resources.ts'
import { shadowRunExamples, shadowRunId } from './shadow-runs.ts'

/** Path parameters, by name. */
export const idExamples: Readonly<Record<string, string>> = {
  monitorId: r.monitor.id,
  incidentId: r.openIncident.id,
  statusPageId: r.statusPage.id,
  maintenanceId: r.maintenance.id,
  statusIncidentId: r.publishedIncident.id,
  endpointId: r.endpoint.id,
  deliveryId: r.delivery.id,
  labelKey: 'team',
  contactId: contact.id,
  noteId,
  subscriberId,
  importId,
  shadowRunId,
}

const monitorBodies = Object.fromEntries(
  monitorTypes.map((type) => {
    const { name, ...settings } = definitions[type].example
    return [type, { name, type, ...settings }]
  }),
)

const mute = {
  until: '2026-03-03T08:00:00.000Z',
  mutedAt: '2026-03-02T21:00:00.000Z',
  mutedBy: { type: 'USER', name: 'Ada' },
}

const monitors: Readonly<Record<string, OperationExample>> = {
  listMonitors: { query: { limit: 25 }, answer: pageOf(r.monitor) },
  createMonitor: { bodies: monitorBodies, answer: r.newMonitor },
  getMonitor: { answer: r.monitor },
  updateMonitor: {
    body: { name: 'Checkout (EU)', intervalSeconds: 30 },
    answer: { ...r.monitor, name: 'Checkout (EU)', intervalSeconds: 30, updatedAt: '2026-03-02T09:30:30.000Z' },
  },
  deleteMonitor: deleted(r.monitor.id),
  pauseMonitor: { body: {}, answer: { ...r.monitor, state: 'PAUSED', updatedAt: '2026-03-02T09:30:30.000Z' } },
  resumeMonitor: { body: {}, answer: { ...r.monitor, state: 'PENDING', updatedAt: '2026-03-02T09:30:30.000Z' } },
  checkMonitor: { body: {}, answer: r.monitor },
  rotateHeartbeatToken: {
    body: {},
    answer: {
      ...r.newMonitor,
      name: 'Nightly backup',
      type: 'CRON',
      url: null,
      expectedPeriodSec: 86_400,
      heartbeatUrl: 'https://pharos.example/heartbeat/the-new-secret-token',
    },
  },
}

const options = Object.fromEntries(
  optionNames.flatMap((name): [string, OperationExample][] => {
    const { example, render } = optionNamed(name)
    const suffix = `Monitor${name.charAt(0).toUpperCase()}${name.slice(1)}`
    return [
      [`get${suffix}`, { answer: example.answer }],
      [`set${suffix}`, example],
      [`remove${suffix}`, { answer: render(undefined, { now: 0, confirmDelaysSeconds: [1, 3] }) }],
    ]
  }),
)

const shopLabels = { env: 'prod', team: 'payments' }

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII='
const pageSelectors = { sections: [{ name: r.statusPage.sections[0]?.name, selector: 'team=payments,env=prod' }] }

const bulkAnswer = {
  data: [{ monitorId: r.monitor.id, name: r.monitor.name, outcome: 'CHANGED', error: null, errorCode: null }],
  changed: 1,
  unchanged: 0,
  failed: 0,
}

const labels: Readonly<Record<string, OperationExample>> = {
  getMonitorLabels: { answer: { labels: shopLabels } },
  setMonitorLabels: { body: { labels: shopLabels }, answer: { labels: shopLabels } },
  getMonitorMute: { answer: mute },
  muteMonitor: { body: { until: mute.until }, answer: mute },
  unmuteMonitor: { answer: { until: null, mutedAt: null, mutedBy: null } },
  listMutes: { answer: pageOf({ monitorId: r.monitor.id, name: r.monitor.name, ...mute }) },
  changeMonitors: {
    bodies: {
      pause: { selector: 'team=payments,env!=prod', action: 'PAUSE' },
      label: { monitorIds: [r.monitor.id], action: 'LABEL', labels: { team: 'checkout', legacy: null } },
    },
    answer: bulkAnswer,
  },
  updateMonitors: { body: { selector: 'env=prod', intervalSeconds: 60 }, answer: bulkAnswer },
  listLabels: {
    answer: pageOf(
      {
        label: 'env',
        monitors: 14,
        values: [
          { value: 'prod', monitors: 9 },
          { value: 'staging', monitors: 5 },
        ],
        hasMoreValues: false,
      },
      { label: 'team', monitors: 9, values: [{ value: 'payments', monitors: 9 }], hasMoreValues: false },
    ),
  },
  getMaintenanceWindowSelector: { answer: { selector: 'team=payments' } },
  setMaintenanceWindowSelector: { body: { selector: 'team=payments' }, answer: { selector: 'team=payments' } },
  getStatusPageSelectors: { answer: pageSelectors },
  setStatusPageLogo: { body: { image: PIXEL }, answer: r.statusPage },
  setStatusPageSelectors: { body: pageSelectors, answer: pageSelectors },
  listLabelValues: { query: { prefix: 'pay' }, answer: pageOf({ value: 'payments', monitors: 9 }) },
}

const incidents: Readonly<Record<string, OperationExample>> = {
  listIncidents: { query: { status: 'ONGOING' }, answer: pageOf(r.listedIncident) },
  getIncident: { answer: r.openIncident },
  acknowledgeIncident: { body: {}, answer: r.acknowledgedIncident },
}

const { sections, name, slug, customDomain, description, logoUrl, homepageUrl, accentColor, timezone } = r.statusPage

const statusPages: Readonly<Record<string, OperationExample>> = {
  listStatusPages: { query: { published: true }, answer: pageOf(r.statusPage) },
  createStatusPage: {
    body: {
      name,
      slug,
      customDomain,
      description,
      logoUrl,
      homepageUrl,
      accentColor,
      timezone,
      sections,
      subscribersEnabled: true,
    },
    answer: r.statusPage,
  },
  getStatusPage: { answer: r.statusPage },
  updateStatusPage: {
    body: { historyDays: 30, showResponseTimes: true },
    answer: { ...r.statusPage, historyDays: 30, showResponseTimes: true, updatedAt: '2026-03-02T09:30:30.000Z' },
  },
  deleteStatusPage: deleted(r.statusPage.id),
}

const maintenanceWindows: Readonly<Record<string, OperationExample>> = {
  listMaintenanceWindows: { query: { status: 'SCHEDULED' }, answer: pageOf(r.maintenance, r.weeklyMaintenance) },
  createMaintenanceWindow: {
    bodies: {
      once: {
        name: r.maintenance.name,
        description: r.maintenance.description,
        startsAt: '2026-03-07T03:00:00+01:00',
        endsAt: '2026-03-07T04:00:00+01:00',
        timezone: 'Europe/Berlin',
        monitorIds: r.maintenance.monitorIds,
      },
      weekly: {
        name: r.weeklyMaintenance.name,
        startsAt: r.weeklyMaintenance.startsAt,
        endsAt: r.weeklyMaintenance.endsAt,
        timezone: 'Europe/Berlin',
        recurrence: 'WEEKLY',
        daysOfWeek: [7],
        allMonitors: true,
      },
    },
    answer: r.maintenance,
  },
  getMaintenanceWindow: { answer: r.maintenance },
  updateMaintenanceWindow: {
    body: { endsAt: '2026-03-07T03:30:00Z' },
    answer: {
      ...r.maintenance,
      endsAt: '2026-03-07T03:30:00.000Z',
      nextOccurrence: { startsAt: r.maintenance.startsAt, endsAt: '2026-03-07T03:30:00.000Z' },
      updatedAt: '2026-03-02T09:30:30.000Z',
    },
  },
  deleteMaintenanceWindow: deleted(r.maintenance.id),
}

const { title, impact, statusPageIds, affectedMonitors, incidentId } = r.publishedIncident
const posted = r.updatedPublishedIncident.updates[0] as (typeof r.updatedPublishedIncident.updates)[number]

const publishedIncidents: Readonly<Record<string, OperationExample>> = {
  listPublishedIncidents: { query: { status: 'INVESTIGATING' }, answer: pageOf(r.publishedIncident) },
  createPublishedIncident: {
    body: {
      title,
      impact,
      statusPageIds,
      affectedMonitors,
      incidentId,
      message: r.publishedIncident.updates[0]?.message,
    },
    answer: r.publishedIncident,
  },
  getPublishedIncident: { answer: r.publishedIncident },
  updatePublishedIncident: {
    body: { impact: 'CRITICAL' },
    answer: { ...r.publishedIncident, impact: 'CRITICAL', updatedAt: '2026-03-02T09:38:00.000Z' },
  },
  deletePublishedIncident: deleted(r.publishedIncident.id),
  postPublishedIncidentUpdate: {
    body: { status: posted.status, message: posted.message },
    answer: r.updatedPublishedIncident,
  },
}

const webhooks: Readonly<Record<string, OperationExample>> = {
  listWebhookEndpoints: { query: { enabled: true }, answer: pageOf(r.endpoint) },
  createWebhookEndpoint: {
    body: {
      url: r.endpoint.url,
      description: r.endpoint.description,
      eventTypes: ['incident.opened', 'incident.resolved'],
    },
    answer: {
      ...r.endpoint,
      eventTypes: ['incident.opened', 'incident.resolved'],
      lastDeliveryAt: null,
      secret: r.signingSecret,
    },
  },
  getWebhookEndpoint: { answer: r.endpoint },
  updateWebhookEndpoint: {
    body: { eventTypes: ['*'], enabled: true },
    answer: { ...r.endpoint, updatedAt: '2026-03-02T09:30:30.000Z' },
  },
  deleteWebhookEndpoint: deleted(r.endpoint.id),
  rotateWebhookSecret: {
    body: {},
    answer: { ...r.endpoint, previousSecretExpiresAt: '2026-03-03T09:45:00.000Z', secret: r.signingSecret },
  },
  testWebhookEndpoint: { body: {}, answer: r.pendingTest },
  listWebhookDeliveries: { query: { status: 'SUCCEEDED' }, answer: pageOf(r.delivery) },
  getWebhookDelivery: { answer: r.deliveryDetail },
  retryWebhookDelivery: {
    body: {},
    answer: { ...r.deliveryDetail, status: 'PENDING', nextAttemptAt: '2026-03-02T09:50:00.000Z', completedAt: null },
  },
}

/** By the id of the operation. */
export const operationExamples: Readonly<Record<string, OperationExample>> = {
  ...monitors,
  ...options,
  ...labels,
  ...incidents,
  ...statusPages,
  ...maintenanceWindows,
  ...publishedIncidents,
  ...webhooks,
  ...contactExamples,
  ...detailExamples,
  ...insight,
  ...configurationExamples,
  ...importExamples,
  ...shadowRunExamples,
}
