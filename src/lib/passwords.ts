import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** OWASP's choice for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Each takes a thread of the pool that look-ups and files need too, and 19 MiB. */
const AT_ONCE = 2
/** Whoever would wait behind so many is told to come back: some three seconds' worth of work. */
const MOST_WAITING = 200

/** So many passwords are being looked at that one more would wait too long. */
export class PasswordQueueFull extends Error {
  override name = 'TooManyPasswords'
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1
  else {
    if (waiting.length >= MOST_WAITING) throw new PasswordQueueFull('Too many passwords are being looked at')
    // Whoever ends gives its place away instead of freeing it.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}

/** A password as it is stored, in the usual form: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await inTurn(() =>
    derive('argon2id', { message: password, nonce: salt, tagLength: HASH_BYTES, ...cost }),
  )
  return `${prefix}${unpadded(salt)}$${unpadded(hash)}`
}

const prefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`
const stored = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Whether this is the password that was stored, by the cost that it was stored with. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, expected] = stored.exec(hash) ?? []
  if (salt === undefined || expected === undefined) throw new Error('A stored password has an unknown form')
  const wanted = Buffer.from(expected, 'base64')
  const found = await inTurn(() =>
    derive('argon2id', {
      message: password,
      nonce: Buffer.from(salt, 'base64'),
      tagLength: wanted.length,
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    }),
  )
  return timingSafeEqual(found, wanted)
}

/** Whether it was stored with another cost than today's. */
export function needsRehash(hash: string): boolean {
  return !hash.startsWith(prefix)
}

/** Nobody's password, at today's cost: looking at it takes as long as looking at somebody's. */
export const dummyHash = `${prefix}${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(HASH_BYTES))}`

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
