import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES } from '../../contract/operation.ts'
import { oneOf } from '../../contract/schema.ts'
import { validator } from '../../contract/validate.ts'
import { servedDomainOf } from '../../publishing/custom-domains/served.ts'
import { previewHeaders, previewOf } from '../../publishing/public-site/preview.ts'
import { ownTurn, queueRendering } from '../../publishing/public-site/render-queue.ts'
import { applyDraft, StatusPageDraft } from '../../publishing/status-pages/apply-draft.ts'
import { pageOf } from '../../publishing/status-pages/queries.ts'
import { pageFaults } from '../../publishing/status-pages/rules.ts'
import { themes } from '../../publishing/status-pages/schema.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import { readBody } from '../api/request-body.ts'
import type { ApiOptions } from '../api/routes.ts'
import { organizationFromQuery, requireMember, requireSignedIn, type SessionDependencies } from './session.ts'

const validateQuery = validator(Type.Object({ theme: Type.Optional(oneOf(themes)) }), 'query')

type PreviewOptions = Pick<ApiOptions, 'database' | 'clock' | 'installation' | 'metrics' | 'bodyTimeoutMs'> & {
  readonly poweredBy: boolean
}

type Render = () => Promise<string>
type Draft = Static<typeof StatusPageDraft>

const PATH = '/status-pages/:statusPageId/preview'

/**
 * GET /app/api/status-pages/ID/preview: the page for a frame in the dashboard, also if it is unpublished or has a password.
 * POST: the same with unsaved changes.
 */
export function previewRoute(app: FastifyInstance, session: SessionDependencies, options: PreviewOptions): void {
  const { installation, bodyTimeoutMs } = options
  const validateDraft = validator(StatusPageDraft, 'body', (draft) => pageFaults((draft as Draft).page, installation))
  const memberOf = async (request: FastifyRequest, role: Role) =>
    requireMember(session, requireSignedIn(request.signedIn), organizationFromQuery(request), role)
  app.get(PATH, async (request, reply) => {
    const { orgId } = await memberOf(request, 'VIEWER')
    return preview(options, { request, reply, orgId })
  })
  app.post(PATH, async (request, reply) => {
    const { orgId } = await memberOf(request, 'MEMBER')
    const received = await readBody(
      request,
      { timeoutMs: bodyTimeoutMs, maxBytes: LARGE_BODY_BYTES },
      installation.foreign,
    )
    if (received.kind === 'faulty') throw invalid(received.faults, received.unread ? { connection: 'close' } : {})
    const verdict = validateDraft(received.kind === 'json' ? received.value : undefined)
    if ('faults' in verdict) throw invalid(verdict.faults)
    return preview(options, { request, reply, orgId }, verdict.value)
  })
}

interface PreviewRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly orgId: string
}

async function preview(
  { database, clock, installation, metrics, poweredBy }: PreviewOptions,
  { request, reply, orgId }: PreviewRequest,
  draft?: Draft,
): Promise<FastifyReply> {
  const verdict = validateQuery(request.query)
  if ('faults' in verdict) throw invalid(verdict.faults)
  const { statusPageId } = request.params as { statusPageId: string }
  const { baseUrl } = installation
  const canMail = installation.queueMail !== undefined
  const now = clock.now()
  const view = { baseUrl, theme: verdict.value.theme, canMail, poweredBy, now }
  function* read(): DbWork<Render> {
    const page = yield* pageOf(orgId, statusPageId)
    const domain = servedDomainOf(page, installation)
    return yield* previewOf({ ...page, org_id: orgId, custom_domain: domain }, view)
  }
  const text = await queueRendering(orgId, async () => {
    await ownTurn()
    const render = await (draft === undefined
      ? database.read(read())
      : readAndRollBack(database.forOrganization(orgId), function* () {
          yield* applyDraft({ orgId, pageId: statusPageId }, draft, now)
          return yield* read()
        }))
    await ownTurn()
    return render()
  })
  metrics.requestDone('app.previewStatusPage', 200, request.startedAt)
  reply.headers({ ...previewHeaders, 'x-request-id': request.id }).send(text)
  request.server.pendingResponses.count(reply.raw, text.length, orgId)
  return reply
}

/** Runs work in a transaction of its own that is never committed. */
async function readAndRollBack<T>(database: Database, work: () => DbWork<T>): Promise<T> {
  class RolledBack extends Error {
    readonly result: T
    constructor(result: T) {
      super('The transaction of a preview is rolled back')
      this.result = result
    }
  }
  try {
    return await database.write(function* (): DbWork<never> {
      throw new RolledBack(yield* work())
    }, 'bulk')
  } catch (error) {
    if (error instanceof RolledBack) return error.result
    throw error
  }
}
