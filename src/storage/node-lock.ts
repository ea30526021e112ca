/**
 * The name of the lock that a node holds while it runs. It ends with the node, however that ends: a node whose lock can be
 * taken is dead.
 */
export function nodeLock(node: string): string {
  return `node ${node}`
}
