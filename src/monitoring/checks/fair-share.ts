/** A node that checks monitors. */
export interface CheckingMember {
  readonly name: string
  /** How many it has, as of its last heartbeat. */
  readonly monitors: number
}

/** A node above its share by less than this keeps its monitors, and takes further ones. */
const SLACK = 50
const SLACK_SHARE = 0.1
/** The part of the surplus released at once: what the others report is a few seconds old. */
const RELEASED_PART = 1 / 3
const MAX_RELEASED = 5_000

/** The number of monitors that each node would have if they were spread evenly. `held` is exact, the others' are not. */
function shareOf(self: string, held: number, members: readonly CheckingMember[]): number {
  const others = members.filter(({ name }) => name !== self)
  return Math.ceil(others.reduce((sum, { monitors }) => sum + monitors, held) / (others.length + 1))
}

function mostFor(share: number): number {
  return share + Math.max(SLACK, Math.floor(SLACK_SHARE * share))
}

/** Whether a node leaves monitors that no node has to the other nodes, at first. */
export function leavesToOthers(self: string, held: number, members: readonly CheckingMember[]): boolean {
  return held > mostFor(shareOf(self, held, members))
}

/** How many monitors a node releases now, so that nodes with fewer can take them. */
export function surplusOf(self: string, held: number, members: readonly CheckingMember[]): number {
  const share = shareOf(self, held, members)
  if (held <= mostFor(share)) return 0
  return Math.min(MAX_RELEASED, Math.ceil((held - share) * RELEASED_PART) + SLACK, held - share)
}
