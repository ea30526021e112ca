import { parseAddressPolicy } from '../../outbound/address-policy.ts'
import { createGuard } from '../../outbound/guard.ts'
import { startPoller } from '../../shadow-runs/poller.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { runAsNode } from './run-as-node.ts'

/** Asks the other tools of shadow runs on nodes with the role `scheduler`. They may be where targets may be. */
export function startShadowRunWorker(parts: WorkerDependencies, undo: (() => unknown)[]): void {
  const { config, node, log } = parts
  if (!config.roles.includes('scheduler')) return
  const guard = createGuard({ policy: parseAddressPolicy(config.privateTargets) })
  runAsNode(node, log, undo, (name) => startPoller({ ...parts, node: name, guard }))
}
