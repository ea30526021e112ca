import type { RequestToSend } from '../support/keep-alive.ts'
import type { Case } from './request-cases.ts'
import type { DescribedOperation } from './schema.ts'

/** Makes the requests of cases with the keys of one organization. */
export class CaseRequests {
  readonly #key: string
  readonly #readOnly: string
  #keys = 0

  constructor(key: string, readOnly: string) {
    this.#key = key
    this.#readOnly = readOnly
  }

  /** `idOf` gives the id of an existing resource by its path parameter. A made-up id of the case is the last one in the path. */
  requestOf(created: Case, operation: DescribedOperation, idOf: (parameter: string) => string): RequestToSend {
    const query = created.query.map(([name, value]) => `${encodeURIComponent(name)}=${escaped(value)}`).join('&')
    const headers: Record<string, string> = { ...this.#credentials(created.auth) }
    if (created.idempotencyKey !== undefined) headers['idempotency-key'] = this.#ownKey(created.idempotencyKey)
    if (created.contentType !== undefined) headers['content-type'] = created.contentType
    if (created.body !== undefined && created.chunked) headers['transfer-encoding'] = 'chunked'
    else if (created.body !== undefined) headers['content-length'] = `${Buffer.byteLength(created.body)}`
    const path = operation.path
      .replace(/\{[^}]+\}(?=[^{]*$)/, (whole) => created.madeUpId ?? whole)
      .replace(/\{(\w+)\}/g, (_, parameter: string) => idOf(parameter))
    return { method: operation.method, path: `${path}${query === '' ? '' : `?${query}`}`, headers, body: created.body }
  }

  /** Makes a valid idempotency key unique, so that cases do not share keys. */
  #ownKey(key: string): string {
    this.#keys += 1
    return /^[\w.:-]{1,200}$/.test(key) ? `${this.#keys}.${key}`.slice(0, 200) : key
  }

  #credentials(auth: Case['auth']): Record<string, string> {
    switch (auth) {
      case 'key':
        return { 'x-api-key': this.#key }
      case 'bearer':
        return { authorization: `Bearer ${this.#key}` }
      case 'both':
        return { 'x-api-key': this.#key, authorization: `Bearer ${this.#key}` }
      case 'read-only':
        return { 'x-api-key': this.#readOnly }
      case 'unknown':
        return { 'x-api-key': `${this.#key}x` }
      default:
        return {}
    }
  }
}

/** Query values with a % are encoded already, validly or not. */
function escaped(value: string): string {
  return value.includes('%') ? value : encodeURIComponent(value)
}
