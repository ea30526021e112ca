import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { AccountSettings } from '../../contract/app-operation.ts'
import { invalid } from '../../contract/errors.ts'
import { oneOf } from '../../contract/schema.ts'
import { validator } from '../../contract/validate.ts'
import { previewHeaders, previewOf } from '../../publishing/public-site/preview.ts'
import { pageOf } from '../../publishing/status-pages/queries.ts'
import { themes } from '../../publishing/status-pages/schema.ts'
import type { DbWork } from '../../storage/query.ts'
import { type ApiOptions, secondsSince } from '../api/routes.ts'
import { type Door, organizationAsked, requireMember, requireSignedIn } from './session.ts'

const judgeQuery = validator(Type.Object({ theme: Type.Optional(oneOf(themes)) }), 'query')

type PreviewOptions = Pick<ApiOptions, 'database' | 'clock' | 'installation' | 'metrics'> & {
  readonly accounts: AccountSettings
}

/**
 * GET /app/api/status-pages/ID/preview: a status page for a frame of the dashboard, whoever may see it otherwise. A frame
 * sends no headers of its own, so the organization may stand in the query.
 */
export function previewRoute(app: FastifyInstance, door: Door, options: PreviewOptions): void {
  const { database, clock, installation, accounts, metrics } = options
  app.get('/status-pages/:statusPageId/preview', async (request, reply) => {
    const { orgId } = await requireMember(door, requireSignedIn(request.signedIn), organizationAsked(request), 'VIEWER')
    const verdict = judgeQuery(request.query)
    if ('faults' in verdict) throw invalid(verdict.faults)
    const { statusPageId } = request.params as { statusPageId: string }
    const { baseUrl } = installation
    const look = { baseUrl, theme: verdict.value.theme, canMail: accounts.queueMail !== undefined, now: clock.now() }
    const text = await database.read(
      (function* (): DbWork<string> {
        return yield* previewOf({ ...(yield* pageOf(orgId, statusPageId)), org_id: orgId }, look)
      })(),
    )
    metrics.requests.observe('app.previewStatusPage', 200, secondsSince(request.startedAt))
    return reply.headers({ ...previewHeaders, 'x-request-id': request.id }).send(text)
  })
}
