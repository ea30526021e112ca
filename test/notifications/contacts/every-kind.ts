import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { isoTimestamp } from '../../../src/lib/timestamp.ts'
import type { MessageInput } from '../../../src/notifications/contacts/message.ts'
import type { Alert } from '../../../src/notifications/contacts/types.ts'
import { reason } from '../../../src/reasons/reason.ts'
import { AT, alert, flapping } from './send.ts'

type Example = Pick<MessageInput, 'alerts' | 'ongoing' | 'flapping' | 'resolvedThreads'>

const SENT_AT = AT + 4 * SECOND_MS

const notes = {
  runbookUrl: 'https://wiki.shop.example/runbooks/checkout',
  text: 'Payments go through **PSP 2** as well.\n\n- Restart the worker\n- Then call Ada, see [on call](https://wiki.shop.example/on-call)',
}

const unavailable = reason('http_status_named', {
  status: 503,
  name: 'Service Unavailable',
  expected: ['2xx', '3xx'],
})

const checkout = (fields: Partial<Alert> = {}): Alert =>
  alert({
    id: 'alr_1',
    monitorId: 'mon_1',
    incidentId: 'inc_1',
    target: 'https://shop.example/checkout',
    reason: unavailable,
    at: SENT_AT,
    found: { startedAt: AT },
    ...fields,
  })

const named = (subject: string, i: number, fields: Partial<Alert> = {}): Alert =>
  checkout({ id: `alr_${i}`, monitorId: `mon_${i}`, incidentId: `inc_${i}`, subject, ...fields })

const monitor = (subject: string, fields: Partial<Alert>): Alert =>
  checkout({ subject, incidentId: null, found: {}, ...fields })

const ip = '203.0.113.7'
const refused = reason('connection_refused', { peer: '203.0.113.7:443' })

const slow = reason('slow_responses', { count: 3, others: ['912', '877'], ms: 1204, limit: 800 })

/** One message of each kind, sent five seconds after the alerts. */
export const everyKind: Readonly<Record<string, Example>> = {
  down: {
    alerts: [
      checkout({
        facts: { tries: 3, ip },
        summary: [
          reason('changed', {
            change: reason('field_changed', { field: reason('field_server'), before: 'nginx', after: 'envoy' }),
          }),
          reason('changed_earlier', { change: reason('certificate_replaced'), minutes: 10 }),
        ],
        notes,
      }),
    ],
    ongoing: [named('Legacy admin', 8), named('Reports', 9)],
  },
  'several-down': {
    alerts: [
      ...['Checkout', 'Orders API', 'mail.shop.example:25'].map((subject, i) =>
        named(subject, i + 1, { reason: refused, facts: { ip, tries: 3 }, ...(i < 2 && { notes }) }),
      ),
      monitor('Search', { id: 'alr_7', kind: 'degraded', monitorId: 'mon_7', reason: slow }),
    ],
    ongoing: [named('Reports', 9)],
  },
  'up-again': {
    alerts: [
      checkout({
        kind: 'resolved',
        reason: null,
        at: AT + 14 * MINUTE_MS,
        beganAt: SENT_AT,
        found: {
          startedAt: AT,
          lastReason: unavailable,
          uptimeToday: 0.98912,
        },
      }),
    ],
    ongoing: [],
    resolvedThreads: ['ntc_0'],
  },
  'short-outage': {
    alerts: [
      checkout({ facts: { tries: 3, ip } }),
      checkout({ id: 'alr_2', kind: 'resolved', at: AT + 3 * SECOND_MS, reason: null }),
    ].map((one) => ({ ...one, at: one.kind === 'opened' ? AT : one.at })),
    ongoing: [],
  },
  slow: {
    alerts: [
      monitor('Search', {
        kind: 'degraded',
        reason: slow,
        target: 'https://shop.example/search',
      }),
    ],
    ongoing: [],
  },
  'failing-a-check': {
    alerts: [
      monitor('Search', {
        kind: 'degraded',
        reason: reason('assertion', {
          subject: '$.db.status',
          found: reason('found', { value: '"degraded"' }),
          expected: '"ok"',
        }),
        target: 'https://shop.example/search',
      }),
    ],
    ongoing: [],
  },
  'back-to-normal': {
    alerts: [monitor('Search', { kind: 'recovered', reason: null, beganAt: AT, at: AT + 14 * MINUTE_MS })],
    ongoing: [],
  },
  'certificate-expiring': {
    alerts: [
      monitor('Checkout', {
        kind: 'certificate_expiring',
        reason: reason('expires', { at: isoTimestamp(AT + 4 * DAY_MS + MINUTE_MS), count: 4 }),
        found: {
          certificate: { issuer: "Let's Encrypt R11", names: ['shop.example', 'www.shop.example'], nameCount: 2 },
        },
        notes: { text: 'The platform team renews it.' },
      }),
    ],
    ongoing: [],
  },
  'domain-expiring': {
    alerts: [
      monitor('shop.example', {
        kind: 'domain_expiring',
        target: 'shop.example',
        reason: reason('expires', { at: isoTimestamp(AT + DAY_MS + MINUTE_MS), count: 1 }),
        found: { registrar: 'Example Registrar' },
      }),
    ],
    ongoing: [],
  },
  'dns-changed': {
    alerts: [
      monitor('shop.example', {
        kind: 'dns_changed',
        target: 'shop.example',
        reason: reason('records_now', { records: [ip, '203.0.113.8'] }),
      }),
    ],
    ongoing: [],
  },
  flapping: {
    alerts: [
      named('Recommendations', 1, { endedAt: AT - MINUTE_MS, at: AT - 2 * MINUTE_MS }),
      named('Recommendations', 1, { id: 'alr_2', kind: 'resolved', at: AT - MINUTE_MS, reason: null }),
    ],
    ongoing: [],
    flapping: [
      flapping({
        monitorId: 'mon_1',
        since: AT - 19 * MINUTE_MS,
        outageTimes: [19, 16, 12, 9, 5, 2].map((minutes) => AT - minutes * MINUTE_MS),
        confirmsRecovery: false,
      }),
    ],
  },
  acknowledged: {
    alerts: [
      checkout({
        kind: 'acknowledged',
        reason: null,
        at: AT + 6 * MINUTE_MS,
        facts: { acknowledgedBy: 'Ana' },
        found: { startedAt: AT, lastReason: refused },
      }),
    ],
    ongoing: [],
  },
  'own-network': {
    alerts: [
      monitor('Pharos', {
        kind: 'network_down',
        monitorId: null,
        target: null,
        reason: reason('network_down', { count: 20, since: isoTimestamp(AT - 31 * SECOND_MS) }),
      }),
    ],
    ongoing: [],
  },
  'webhook-disabled': {
    alerts: [
      monitor('https://hooks.example.com/…a9f1', {
        kind: 'endpoint_disabled',
        monitorId: null,
        target: 'we_1',
        reason: reason('endpoint_gone'),
      }),
    ],
    ongoing: [],
  },
}
