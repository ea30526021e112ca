import assert from 'node:assert/strict'
import { totpCode, totpStep } from '../../src/lib/totp.ts'
import { execute, q } from '../../src/storage/query.ts'
import type { HandClock } from './clock.ts'
import { PASSWORD, type Person } from './person.ts'
import type { TestServer } from './server.ts'

/** An authenticator app. */
export class AuthenticatorApp {
  readonly #secret: Buffer
  readonly #clock: HandClock

  constructor(base32: string, clock: HandClock) {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
    const bits = [...base32].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
    this.#secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
    this.#clock = clock
  }

  /** The code at `drift` steps of 30 s from now. */
  code(drift = 0): string {
    return totpCode(this.#secret, totpStep(this.#clock.now()) + drift)
  }

  /** Advances the clock by a step, to get an unused code. */
  next(): string {
    this.#clock.advance(30_000)
    return this.code()
  }

  /** A code that is invalid now. */
  wrong(): string {
    const valid = [-1, 0, 1].map((drift) => this.code(drift))
    return ['111111', '222222', '333333', '444444'].find((code) => !valid.includes(code)) as string
  }
}

export interface SecondFactor {
  readonly app: AuthenticatorApp
  readonly recoveryCodes: readonly string[]
}

/** Sets up an authenticator app for a signed-in person. */
export async function addSecondFactor(person: Person, clock: HandClock): Promise<SecondFactor> {
  const begun = await person.post('/me/totp', { password: PASSWORD })
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  const app = new AuthenticatorApp(begun.body.secret, clock)
  const done = await person.post('/me/totp/confirm', { code: app.code() })
  assert.equal(done.status, 200, JSON.stringify(done.body))
  return { app, recoveryCodes: done.body.recoveryCodes }
}

/** Signs in with the password and returns the token of the second-factor challenge. */
export async function signInForChallenge(person: Person, email: string): Promise<string> {
  const { status, body, headers } = await person.signIn(email)
  assert.deepEqual([status, body.userId, headers.getSetCookie().length], [200, null, 0], JSON.stringify(body))
  return body.challenge.token
}

/** Forgets all failed attempts. */
export async function clearAttemptLimits({ running: { database } }: TestServer): Promise<void> {
  await database.write(() => execute(q.deleteFrom('sign_in_limits')))
}
