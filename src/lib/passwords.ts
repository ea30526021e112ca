import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Each hash takes 19 MiB and one of the four threads that DNS lookups and file access use as well. */
const MAX_CONCURRENT = 2
/** About three seconds of work. Beyond that, requests are refused. */
const MAX_WAITING = 200

export class PasswordQueueFull extends Error {
  override name = 'PasswordQueueFull'
}

let running = 0
const waiting: (() => void)[] = []

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_CONCURRENT) running += 1
  else {
    if (waiting.length >= MAX_WAITING) throw new PasswordQueueFull('Too many passwords are being hashed')
    // The previous holder of the slot resolves this and leaves `running` as it is.
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

/** Returns a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await limited(() =>
    derive('argon2id', { message: password, nonce: salt, tagLength: HASH_BYTES, ...cost }),
  )
  return `${prefix}${unpadded(salt)}$${unpadded(hash)}`
}

const prefix = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`
const phcString = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Compares with a stored hash, which may have other cost parameters than today's. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, stored] = phcString.exec(hash) ?? []
  if (salt === undefined || stored === undefined) throw new Error('A stored password hash has an unknown format')
  const expected = Buffer.from(stored, 'base64')
  const actual = await limited(() =>
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
  return !hash.startsWith(prefix)
}

/** Matches no password. Verifying against it makes unknown users take as long as known ones. */
export const dummyHash = `${prefix}${unpadded(randomBytes(SALT_BYTES))}$${unpadded(randomBytes(HASH_BYTES))}`

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
