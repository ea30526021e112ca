/**
 * Foreign text is what a tenant, a target, another tool or a file wrote. Above this size it is not parsed, matched, compressed or
 * serialized on the main thread, because every request waits meanwhile.
 */
export const MAX_FOREIGN_CHARS = 64 * 1024

/** Work on foreign text. It runs in a thread of its own, so it uses nothing but its input, and both sides are cloned. */
export interface ForeignTask<In, Out> {
  readonly name: string
  run(input: In): Out
}

export interface ForeignWork {
  /**
   * Runs a task in a thread with a limit of memory, a deadline, and a limit of what comes back. Tasks wait in turn by key, such as the
   * organization. Throws ForeignWorkFailed, QueueFull, or what the task threw as an Error with the same name and message.
   */
  run<In, Out>(task: ForeignTask<In, Out>, input: In, key: string): Promise<Out>
  close(): Promise<void>
}

/** The input takes more memory or time to read than any honest one. The message is for people. */
export class ForeignWorkFailed extends Error {
  override name = 'ForeignWorkFailed'
}
