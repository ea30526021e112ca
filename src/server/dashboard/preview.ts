import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { oneOf } from '../../contract/schema.ts'
import { validator } from '../../contract/validate.ts'
import { servedDomainOf } from '../../publishing/custom-domains/served.ts'
import { previewHeaders, previewOf } from '../../publishing/public-site/preview.ts'
import { ownTurn, queueRendering } from '../../publishing/public-site/render-queue.ts'
import { pageOf } from '../../publishing/status-pages/queries.ts'
import { themes } from '../../publishing/status-pages/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import type { ApiOptions } from '../api/routes.ts'
import { organizationFromQuery, requireMember, requireSignedIn, type SessionDependencies } from './session.ts'

const validateQuery = validator(Type.Object({ theme: Type.Optional(oneOf(themes)) }), 'query')

type PreviewOptions = Pick<ApiOptions, 'database' | 'clock' | 'installation' | 'metrics'> & {
  readonly poweredBy: boolean
}

/** GET /app/api/status-pages/ID/preview: the page for a frame in the dashboard, also if it is unpublished or has a password. */
export function previewRoute(app: FastifyInstance, session: SessionDependencies, options: PreviewOptions): void {
  const { database, clock, installation, metrics, poweredBy } = options
  app.get('/status-pages/:statusPageId/preview', async (request, reply) => {
    const { orgId } = await requireMember(
      session,
      requireSignedIn(request.signedIn),
      organizationFromQuery(request),
      'VIEWER',
    )
    const verdict = validateQuery(request.query)
    if ('faults' in verdict) throw invalid(verdict.faults)
    const { statusPageId } = request.params as { statusPageId: string }
    const { baseUrl } = installation
    const canMail = installation.queueMail !== undefined
    const view = { baseUrl, theme: verdict.value.theme, canMail, poweredBy, now: clock.now() }
    const text = await queueRendering(orgId, async () => {
      await ownTurn()
      const render = await database.read(
        (function* (): DbWork<() => Promise<string>> {
          const page = yield* pageOf(orgId, statusPageId)
          const domain = servedDomainOf(page, installation)
          return yield* previewOf({ ...page, org_id: orgId, custom_domain: domain }, view)
        })(),
      )
      await ownTurn()
      return render()
    })
    metrics.requestDone('app.previewStatusPage', 200, request.startedAt)
    reply.headers({ ...previewHeaders, 'x-request-id': request.id }).send(text)
    app.pendingResponses.count(reply.raw, text.length, orgId)
    return reply
  })
}
