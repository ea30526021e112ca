import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { UserCaller } from '../../storage/database.ts'
import { admitVisitor, type Door, organizationAsked, requireMember, requireSignedIn } from './session.ts'
import { PER_SESSION, type Stream, Streams } from './event-streams.ts'

/** How often a stream says that it is alive, and whether its session still stands is looked at. */
export const BEAT_MS = 15 * SECOND_MS
/** Whoever loads a page anew finds what happened meanwhile. */
const ABSENCE_MS = MINUTE_MS
/** Whoever reads more slowly than this is cut off, and comes back for what is left. */
const MOST_UNREAD_BYTES = 64 * 1024
const RETRY_MS = 3 * SECOND_MS

/**
 * GET /app/api/events: server-sent events that name what has changed in an organization, and nothing of what it is now. An
 * EventSource sends no headers of its own, so the organization may stand in the query.
 */
export function eventRoute(app: FastifyInstance, door: Door, beatMs: number): void {
  const streams = new Streams()
  let keptUntil = 0
  const isThere = (): boolean => streams.size > 0 || performance.now() < keptUntil
  const watch = door.database.watch({
    isActive: isThere,
    notify: (told) => streams.tell(told),
    connectionLost: () => streams.reset(),
  })
  // Streams never end by themselves, and a server that stops waits for what is under way.
  app.addHook('preClose', async () => streams.close())
  app.get('/events', async (request, reply) => {
    const signedIn = requireSignedIn(request.signedIn)
    const caller = await requireMember(door, signedIn, organizationAsked(request), 'VIEWER')
    if (!streams.hasRoomFor(signedIn.sessionId)) {
      throw new ApiError('rate_limited', `A session has room for ${PER_SESSION} streams; close other windows first`, {
        headers: { 'retry-after': '30' },
      })
    }
    const isNews = !isThere()
    if (isNews) streams.forget()
    open({ door, streams, request, reply, signedIn, caller, beatMs })
    reply.raw.once('close', () => {
      keptUntil = performance.now() + ABSENCE_MS
    })
    if (isNews) watch.announceInterest()
  })
}

interface Opening {
  readonly door: Door
  readonly streams: Streams
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly signedIn: SignedInUser
  readonly caller: UserCaller
  readonly beatMs: number
}

function open({ door, streams, request, reply, signedIn, caller, beatMs }: Opening): void {
  const { raw } = reply
  reply.hijack()
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies would otherwise wait until they have a page full.
    'x-accel-buffering': 'no',
    'x-request-id': request.id,
  })
  const write = (text: string): void => {
    if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy()
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
    stillThere(door, request, caller).then(
      (isThere) => (isThere ? write(': here\n\n') : raw.end()),
      tolerate(door.log, 'looking whether the session of a stream still stands'),
    )
  }, beatMs)
  // Whoever has closed the window sends nothing more, and Node would let an answer under way go on all the same.
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

/** Whoever has signed out, or is no member any more, hears nothing further. */
async function stillThere(door: Door, request: FastifyRequest, { orgId }: UserCaller): Promise<boolean> {
  try {
    const signedIn = await admitVisitor(door, request)
    return signedIn !== undefined && (await requireMember(door, signedIn, orgId, 'VIEWER')).orgId === orgId
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
