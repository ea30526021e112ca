/** One request and its response, as the OpenAPI document and the code samples of the reference show them. */
export interface OperationExample {
  /** Values of query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** The body; several if there are different kinds, by name. */
  readonly body?: unknown
  readonly bodies?: Readonly<Record<string, unknown>>
  readonly answer: unknown
}

/** The answer of a list. */
export function pageOf(...data: readonly unknown[]) {
  return { data, pagination: { limit: 25, offset: 0, total: data.length } }
}

export function deleted(id: string): OperationExample {
  return { answer: { data: { id } } }
}
