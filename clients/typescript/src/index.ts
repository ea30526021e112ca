export { type Input, Pharos, type Resource } from './client.ts'
export type { AnswerOf, BodyOf, HttpMethod, PathOf, QueryOf } from './endpoint.ts'
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type Fault,
  NotFoundError,
  PermissionError,
  PharosError,
  PlanError,
  RateLimitError,
  type RawResponse,
  ServerError,
  UnexpectedResponseError,
  ValidationError,
} from './errors.ts'
export type { components, operations, paths } from './generated/schema.ts'
export { List, type Page } from './list.ts'
export type { ClientSettings, RequestOptions } from './transport.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks.ts'

import type { components } from './generated/schema.ts'

/** Schemas of the API by name, such as `Schemas['CreateMonitor']`. */
export type Schemas = components['schemas']
export type Monitor = Schemas['Monitor']
export type Incident = Schemas['Incident']
export type IncidentDetail = Schemas['IncidentDetail']
export type StatusPage = Schemas['StatusPage']
export type MaintenanceWindow = Schemas['MaintenanceWindow']
export type PublishedIncident = Schemas['PublishedIncident']
export type WebhookEndpoint = Schemas['WebhookEndpoint']
export type WebhookDelivery = Schemas['WebhookDelivery']
export type WebhookDeliveryDetail = Schemas['WebhookDeliveryDetail']
