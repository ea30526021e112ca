import type { ProbeTarget } from '../../../contract/probe.ts'
import { reason } from '../../../reasons/reason.ts'
import { guardFor } from '../apply-request-options.ts'
import { connect, makeAttempt } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import type { HttpTarget } from '../http/request.ts'

export type PortTarget = ProbeTarget & Pick<HttpTarget, 'verifySsl'>

/** A port is up when it accepts a TCP connection and its dialogue succeeds; without one nothing is sent. */
export const probePort: Probe<NetworkTools, PortTarget> = (target, tools, signal) =>
  makeAttempt(target, signal, async (attempt) => {
    const { host: named, port, dialogue, verifySsl } = target
    if (named === null || port === null) {
      return { code: 'CONNECT', kind: 'content', error: reason('no_host_or_port') }
    }
    const host = named.replace(/^\[(.*)\]$/, '$1')
    const guard = guardFor(tools.guard, target.request)
    if (dialogue !== undefined) {
      // Patterns need a library of 1 MB.
      const { runDialogue } = await import('./dialogue/run.ts')
      const endpoint = { host, port, verifySsl, serverName: target.request?.serverName ?? host }
      return runDialogue(dialogue, endpoint, attempt, { guard })
    }
    const { socket } = await connect(attempt, host, port, guard)
    socket.destroy()
    return null
  })
