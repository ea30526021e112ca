import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { invalid } from '../../contract/errors.ts'
import { validator } from '../../contract/validate.ts'
import { exportMonitors } from '../../monitoring/exports/export-monitors.ts'
import { monitorFilters } from '../../monitoring/monitor-list/find.ts'
import type { ApiOptions } from '../api/routes.ts'
import { organizationFromHeader, requireMember, requireSignedIn, type SessionDependencies } from './session.ts'

const validateQuery = validator(Type.Object(monitorFilters), 'query')

type ExportOptions = Pick<ApiOptions, 'database' | 'clock' | 'metrics' | 'installation'>

/** GET /app/api/monitors.csv: the filtered monitor list for spreadsheets, written as the client reads it. */
export function exportRoute(app: FastifyInstance, session: SessionDependencies, options: ExportOptions): void {
  const { database, clock, metrics, installation } = options
  app.get('/monitors.csv', async (request, reply) => {
    const signedIn = requireSignedIn(request.signedIn)
    const { orgId } = await requireMember(session, signedIn, organizationFromHeader(request), 'VIEWER')
    const verdict = validateQuery(request.query)
    if ('faults' in verdict) throw invalid(verdict.faults)
    await app.listTurns.enter(`${orgId} exportMonitors`, reply.raw)
    const parts = await exportMonitors(
      (work) => database.forOrganization(orgId).read(work),
      orgId,
      verdict.value,
      clock.now(),
      installation.transports,
    )
    metrics.requestDone('app.exportMonitors', 200, request.startedAt)
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="monitors.csv"',
        'cache-control': 'no-store',
        'x-request-id': request.id,
      })
      .send(Readable.from(parts))
  })
}
