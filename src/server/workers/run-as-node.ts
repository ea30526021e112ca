import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { SendEmail } from '../../outbound/email.ts'
import type { SendHttp } from '../../outbound/outgoing-request.ts'
import type { ClusterNode } from '../../storage/nodes/node.ts'

interface Worker {
  /** Looks for due work now. */
  nudge(): void
  /** Finishes its work within the grace period, then aborts it. */
  stop(graceMs?: number): Promise<void>
}

export interface RunningWorker<W> {
  /** Undefined while the node has no name. */
  readonly current: W | undefined
  nudge(): void
}

/**
 * Runs a worker that claims work under the name of the node. When the node was declared dead, the worker is aborted and
 * another is started under the new name. What the first one still writes is refused, because its claims are gone. Claims of a dead
 * node may be due for this worker.
 */
export function runAsNode<W extends Worker>(
  node: ClusterNode,
  log: Log,
  undo: (() => unknown)[],
  start: (name: string) => W,
): RunningWorker<W> {
  let current: W | undefined = start(node.name)
  let isStopped = false
  const ending = new Set<Promise<void>>()
  const nudge = (): void => current?.nudge()
  node.subscribe({
    released: nudge,
    lost() {
      const lost = current
      current = undefined
      const end = lost?.stop(0).catch(tolerate(log, 'aborting work of a lost node'))
      if (end === undefined) return
      ending.add(end)
      void end.finally(() => ending.delete(end))
    },
    rejoined(name) {
      if (!isStopped) current ??= start(name)
    },
  })
  undo.push(async () => {
    isStopped = true
    await current?.stop()
    await Promise.all(ending)
  })
  return {
    get current() {
      return current
    },
    nudge,
  }
}

const NOT_ALIVE = 'This node cannot reach the database'

/** Sends nothing once other nodes may have taken over. A process that was stopped for a while learns it only when it asks. */
export function sendWhileAlive(node: ClusterNode, send: SendHttp): SendHttp {
  return (request, signal) => {
    if (node.isAlive()) return send(request, signal)
    return Promise.resolve({ answered: false, code: 'CONNECT', error: NOT_ALIVE, isLocalFault: true, durationMs: 0 })
  }
}

export function mailWhileAlive(node: ClusterNode, send: SendEmail): SendEmail {
  return (email, signal) => {
    if (node.isAlive()) return send(email, signal)
    return Promise.resolve({ ok: false, fault: 'unreachable', error: NOT_ALIVE })
  }
}
