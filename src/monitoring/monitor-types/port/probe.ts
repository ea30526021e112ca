import type { ProbeTarget } from '../../../contract/probe.ts'
import { guardFor } from '../apply-request-options.ts'
import { connect, failureOf, sampleOfError, startAttempt, successOf } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import type { HttpTarget } from '../http/request.ts'

export type PortTarget = ProbeTarget & Pick<HttpTarget, 'verifySsl'>

/** A port is up when it accepts a TCP connection and its dialogue succeeds; without one nothing is sent. */
export const probePort: Probe<NetworkTools, PortTarget> = async (target, tools, signal) => {
  const attempt = startAttempt(target, signal)
  try {
    const { host: named, port, dialogue, verifySsl } = target
    if (named === null || port === null) {
      return failureOf(attempt, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host or port' })
    }
    const host = named.replace(/^\[(.*)\]$/, '$1')
    const guard = guardFor(tools.guard, target.request)
    if (dialogue !== undefined) {
      // Patterns need a library of 1 MB.
      const { runDialogue } = await import('./dialogue/run.ts')
      return await runDialogue(
        dialogue,
        { host, port, verifySsl, serverName: target.request?.serverName ?? host },
        attempt,
        { guard },
      )
    }
    const { socket } = await connect(attempt, host, port, guard)
    socket.destroy()
    return successOf(attempt)
  } catch (error) {
    return sampleOfError(attempt, error)
  } finally {
    attempt.end()
  }
}
