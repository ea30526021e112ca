import type { AppOperation } from '../../../contract/app-operation.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { appErrorSchema, type HeaderName, headers, tags } from './components.ts'
import { byStatus, declared, errorRef, headerRefs, pathsOf, requestBody, version } from './document.ts'
import { type JsonObject, type Refer, referrer, referToResponse, sorted } from './references.ts'

const APP_PATH = '/app/api'

const organization = {
  name: 'X-Pharos-Organization',
  in: 'header',
  required: false,
  description: 'The organization of the request, by id or slug. Optional for users with one organization.',
  schema: { type: 'string' },
} as const

/**
 * What only the dashboard has, as an OpenAPI 3.1 document. The operations of the public API are there as well, under
 * /app/api/v1, as the public document describes them.
 */
export function appDocument(operations: readonly AppOperation[], baseUrl: string): JsonObject {
  const schemas: JsonObject = {}
  const responses: JsonObject = {}
  const refer = referrer(schemas)
  refer(appErrorSchema)
  const paths = pathsOf(APP_PATH, operations, (operation) => describe(operation, refer, responses))
  return {
    openapi: '3.1.0',
    info: {
      title: "Pharos, the dashboard's API",
      version,
      summary: 'Sign-in, members, API keys, alert contacts and statistics',
      description:
        'Internal API of the dashboard; it may change with every version. Sessions use a cookie, and changes need ' +
        "the server's own `Origin`. The operations of the public API are also available under `/app/api/v1`. " +
        'Their answers have the codes of sentences as well: `causeReason` beside `cause`.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: baseUrl }],
    security: [{ Session: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      schemas: sorted(schemas),
      responses: sorted(responses),
      headers: { 'X-Request-Id': headers['X-Request-Id'], 'Retry-After': headers['Retry-After'] },
      parameters: { Organization: organization },
      securitySchemes: { Session: { type: 'apiKey', in: 'cookie', name: '__Host-pharos' } },
    },
  }
}

function describe(operation: AppOperation, refer: Refer, shared: JsonObject): JsonObject {
  const { id, tag, summary, description, permission } = operation
  const isOfOrganization = permission !== 'ANYONE' && permission !== 'USER'
  const needs = isOfOrganization ? [`Requires the role ${permission} or higher.`] : []
  const words = [...(description === undefined ? [] : [description]), ...needs].join(' ')
  const { answer } = operation
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: words || undefined,
    security: permission === 'ANYONE' ? [] : undefined,
    parameters: [
      ...declared(operation.params, 'path', refer),
      ...declared(operation.query, 'query', refer),
      ...(isOfOrganization ? [{ $ref: '#/components/parameters/Organization' }] : []),
    ],
    requestBody: operation.body && requestBody(operation, refer),
    responses: {
      [answer.status]: { description: answer.description, ...content(refer(answer.schema)) },
      ...failures(operation, shared),
    },
  }
}

function failures({ permission, access, errors = [] }: AppOperation, shared: JsonObject): JsonObject {
  const codes = new Set<ErrorCode>(['validation_error', 'rate_limited', 'internal_error', ...errors])
  if (permission !== 'ANYONE') codes.add('unauthorized')
  if (access === 'write' || (permission !== 'ANYONE' && permission !== 'USER')) codes.add('forbidden')
  if (permission !== 'ANYONE' && permission !== 'USER') codes.add('not_found')
  if (access === 'write' && permission !== 'ANYONE' && permission !== 'USER') codes.add('subscription_required')
  return byStatus(codes, (status, group) => {
    const description = group.map((code) => `\`${code}\``).join(', ')
    return referToResponse(shared, group, { description, ...content(errorRef, status === 429 ? ['Retry-After'] : []) })
  })
}

function content(schema: unknown, extra: readonly HeaderName[] = []): JsonObject {
  return { headers: headerRefs(['X-Request-Id', ...extra]), content: { 'application/json': { schema } } }
}
