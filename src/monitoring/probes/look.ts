import type { Stop } from '../../outbound/stop.ts'
import type { Sample, Target } from './probe.ts'

/** Looks at a target once, in the way of its type; the address guard and the resolvers are already in it. */
export type Look = (type: string, target: Target, signal: Stop) => Promise<Sample>

/** The same for whoever looks so often that a promise for each look counts. */
export type Ask = (type: string, target: Target, signal: Stop, done: (sample: Sample) => void) => void
