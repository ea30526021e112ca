import { deleted, type OperationExample, pageOf } from './operation-example.ts'

export const contact = {
  id: 'con_019a8c5d000070008a9b0c1d2e3f4051',
  orgId: 'org_019a8c5b000070008a9b0c1d2e3f4a5b',
  name: 'On call',
  channel: 'NTFY',
  settings: { topic: 'shop-alerts', token: 'set', priority: 5, server: 'https://ntfy.sh' },
  kinds: ['OPENED', 'RESOLVED', 'DEGRADED', 'RECOVERED'],
  covers: 'ALL',
  selector: null,
  language: 'de',
  timezone: 'Europe/Berlin',
  enabled: true,
  confirmed: true,
  problem: null,
  confirmationSentAt: null,
  lastSentAt: '2026-03-02T09:31:05.000Z',
  lastError: null,
  failingSince: null,
  createdAt: '2026-03-01T08:20:00.000Z',
  updatedAt: '2026-03-01T08:20:00.000Z',
}

const email = {
  ...contact,
  id: 'con_019a8c5e000070008a9b0c1d2e3f4052',
  name: 'Shop team',
  channel: 'EMAIL',
  settings: { address: 'shop-team@shop.example' },
  covers: 'CHOSEN',
  language: null,
  timezone: null,
  confirmed: false,
  problem: 'UNCONFIRMED',
  confirmationSentAt: '2026-03-02T09:30:30.000Z',
  lastSentAt: null,
  createdAt: '2026-03-02T09:30:30.000Z',
  updatedAt: '2026-03-02T09:30:30.000Z',
}

const { id: contactId, name, channel, kinds } = contact
const attachment = {
  contactId,
  name,
  channel,
  enabled: true,
  confirmed: true,
  problem: null,
  covers: 'ALL',
  attached: true,
}

const slack = {
  name: 'SLACK',
  label: 'Slack',
  configured: true,
  settings: {
    type: 'object',
    required: ['webhookUrl'],
    properties: {
      webhookUrl: { type: 'string', minLength: 1, maxLength: 2048, writeOnly: true, not: { const: 'set' } },
    },
    additionalProperties: false,
  },
  destinations: ['webhookUrl'],
}

/** By the id of the operation. */
export const contactExamples: Readonly<Record<string, OperationExample>> = {
  listContacts: {
    query: { limit: 25 },
    answer: pageOf(contact, email),
  },
  createContact: {
    bodies: {
      NTFY: { name, channel, settings: { topic: 'shop-alerts', token: 'tk_0123456789abcdef' }, kinds },
      EMAIL: { name: email.name, channel: 'EMAIL', settings: email.settings, covers: 'CHOSEN' },
      WEBHOOK: {
        name: 'Payments team',
        channel: 'WEBHOOK',
        settings: { url: 'https://bot.shop.example/alerts' },
        covers: 'LABELS',
        selector: 'team=payments,env in (prod,staging)',
      },
    },
    answer: { ...contact, lastSentAt: null },
  },
  getContact: { answer: contact },
  updateContact: {
    body: { settings: { priority: 4, token: 'set' }, kinds: null },
    answer: {
      ...contact,
      settings: { ...contact.settings, priority: 4 },
      kinds: [...kinds, 'CERTIFICATE_EXPIRING', 'DOMAIN_EXPIRING', 'DNS_CHANGED', 'ENDPOINT_DISABLED'],
      updatedAt: '2026-03-02T09:30:30.000Z',
    },
  },
  deleteContact: deleted(contactId),
  testContact: { answer: { sent: true, error: null } },
  enableContact: { answer: contact },
  disableContact: {
    answer: { ...contact, enabled: false, problem: 'DISABLED', updatedAt: '2026-03-02T09:30:30.000Z' },
  },
  resendContactConfirmation: { answer: email },
  listContactChannels: { answer: { data: [slack] } },
  listMonitorContacts: {
    query: { attached: true },
    answer: pageOf(attachment),
  },
  attachContact: { answer: attachment },
  detachContact: deleted(contactId),
}
