import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { FairQueue, QueueFull } from './fair-queue.ts'

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
let cost = { memory: 19_456, passes: 2, parallelism: 1 }

/** For tests, which hash hundreds of passwords: a hash of the recommended cost takes 40 ms of CPU time. */
export function useHashingCost(next: typeof cost): void {
  cost = next
}

const SALT_BYTES = 16
const HASH_BYTES = 32

/** Each hash takes 19 MiB and one of the four threads that DNS lookups and file access use as well. */
const MAX_CONCURRENT = 2
const MAX_WAITING_PER_KEY = 10

/** 200 hashes are about four seconds of work. Beyond that, requests are refused. */
const queue = new FairQueue({
  maxRunning: MAX_CONCURRENT,
  maxWaitingPerKey: MAX_WAITING_PER_KEY,
  lanes: {
    /** Sessions, API keys, links and browsers that have signed in to the account before. By user or organization. */
    known: { weight: 16, maxWaiting: 100 },
    /** Networks from which the account has signed in before. By user. */
    knownNetwork: { weight: 4, maxWaiting: 100 },
    /** By address. */
    unknown: { weight: 1, maxWaiting: 200 },
    /** Visitors of protected status pages. By address. */
    visitor: { weight: 1, maxWaiting: 100 },
  },
})

/** Where a password waits to be hashed. */
export type HashingTurn = Parameters<typeof queue.run>[0]

/**
 * Throws QueueFull if the queue has no room. Called before an attempt is counted, because refusing is cheaper than undoing.
 * QueueFull must never count as a failed attempt.
 */
export function requireHashingRoom(turn: HashingTurn): void {
  if (!queue.hasRoom(turn)) throw new QueueFull()
}

/** Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, turn: HashingTurn): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await queue.run(turn, () =>
    derive('argon2id', { message: password, nonce: salt, tagLength: HASH_BYTES, ...cost }),
  )
  return phc(salt, hash)
}

const prefix = (): string => `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`
const phc = (...parts: readonly Buffer[]): string =>
  prefix() + parts.map((bytes) => bytes.toBase64({ omitPadding: true })).join('$')
const phcString = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Compares with a stored hash, which may have other cost parameters than today's. */
export async function verifyPassword(password: string, hash: string, turn: HashingTurn): Promise<boolean> {
  const [, memory, passes, parallelism, salt, stored] = phcString.exec(hash) ?? []
  if (salt === undefined || stored === undefined) throw new Error('A stored password hash has an unknown format')
  const expected = Buffer.from(stored, 'base64')
  const actual = await queue.run(turn, () =>
    derive('argon2id', {
      message: password,
      nonce: Buffer.from(salt, 'base64'),
      tagLength: expected.length,
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    }),
  )
  return timingSafeEqual(actual, expected)
}

/** Whether the hash has other cost parameters than today's. */
export function needsRehash(hash: string): boolean {
  return !hash.startsWith(prefix())
}

/** Matches no password. Verifying against it makes unknown users take as long as known ones. */
export function dummyHash(): string {
  return phc(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES))
}
