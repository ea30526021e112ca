import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { UserCaller } from '../../storage/database.ts'
import { type Stream, Streams } from './event-streams.ts'
import {
  authenticateSession,
  organizationFromQuery,
  requireMember,
  requireSignedIn,
  type SessionDependencies,
} from './session.ts'

/** Interval of the keep-alive comment and of the session check. */
export const BEAT_MS = 15 * SECOND_MS
/** Changes are kept this long after the last stream closes, so that a reload misses nothing. */
const KEEP_MS = MINUTE_MS
/** A client that reads too slowly is disconnected; it reconnects and resumes. */
const MAX_UNREAD_BYTES = 64 * 1024
const RETRY_MS = 3 * SECOND_MS

/** GET /app/api/events: server-sent events with the kind and id of each changed resource, without its content. */
export function eventRoute(app: FastifyInstance, session: SessionDependencies, beatMs: number): void {
  const streams = new Streams()
  let keptUntil = 0
  const isActive = (): boolean => streams.size > 0 || performance.now() < keptUntil
  const announceInterest = session.database.watch({
    isActive,
    notify: (notices) => streams.notify(notices),
    connectionLost: () => streams.reset(),
  })
  // Streams never end by themselves, and closing the server waits for open responses.
  app.addHook('preClose', async () => streams.close())
  app.get('/events', async (request, reply) => {
    const signedIn = requireSignedIn(request.signedIn)
    const caller = await requireMember(session, signedIn, organizationFromQuery(request), 'VIEWER')
    const refusal = streams.refusal(caller.orgId, signedIn.sessionId)
    if (refusal !== undefined) throw new ApiError('rate_limited', refusal, { headers: { 'retry-after': '30' } })
    const isFirst = !isActive()
    if (isFirst) streams.forget()
    open({ session, streams, request, reply, signedIn, caller, beatMs })
    reply.raw.once('close', () => {
      keptUntil = performance.now() + KEEP_MS
    })
    if (isFirst) announceInterest()
  })
}

interface StreamRequest {
  readonly session: SessionDependencies
  readonly streams: Streams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly signedIn: SignedInUser
  readonly caller: UserCaller
  readonly beatMs: number
}

function open({ session, streams, request, reply, signedIn, caller, beatMs }: StreamRequest): void {
  const { raw } = reply
  reply.hijack()
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Turns off buffering in nginx.
    'x-accel-buffering': 'no',
    'x-request-id': request.id,
  })
  const write = (text: string): void => {
    if (raw.writableLength > MAX_UNREAD_BYTES) raw.destroy()
    else raw.write(text)
  }
  write(`retry: ${RETRY_MS}\n\n`)
  const stream: Stream = {
    orgId: caller.orgId,
    sessionId: signedIn.sessionId,
    send: ({ id, event, data }) => write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`),
    end: () => raw.end(),
  }
  const beat = setInterval(() => {
    isStillMember(session, request, caller).then(
      (isMember) => (isMember ? write(': here\n\n') : raw.end()),
      tolerate(session.log, 'checking the session of an event stream'),
    )
  }, beatMs)
  // Node keeps a response open after the client has closed its side.
  const leave = (): void => void raw.destroy()
  request.raw.socket.on('end', leave)
  raw.on('error', leave)
  raw.on('close', () => {
    request.raw.socket.off('end', leave)
    clearInterval(beat)
    streams.remove(stream)
  })
  const lastId = request.headers['last-event-id']
  streams.add(stream, typeof lastId === 'string' ? lastId : undefined)
}

/** False if the session has ended or the user has left the organization. */
async function isStillMember(
  session: SessionDependencies,
  request: FastifyRequest,
  { orgId }: UserCaller,
): Promise<boolean> {
  try {
    const signedIn = await authenticateSession(session, request)
    return signedIn !== undefined && (await requireMember(session, signedIn, orgId, 'VIEWER')).orgId === orgId
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
