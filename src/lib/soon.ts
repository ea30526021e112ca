/**
 * A value now or later. SQLite answers in the same turn of the event loop, PostgreSQL later; a request that never has
 * to wait should not pay for waiting (each needless promise on the hot path costs a percent of its throughput).
 */
export type Soon<T> = T | Promise<T>

export function whenReady<T, R>(soon: Soon<T>, then: (value: T) => Soon<R>): Soon<R> {
  return soon instanceof Promise ? soon.then(then) : then(soon)
}
