/**
 * A body of files instead of JSON. The operation receives it in `run`, so that nothing is stored before the request was checked, and
 * a large one is never in memory.
 */
export class Upload {
  /** As the client declares it. It distinguishes requests with the same Idempotency-Key. */
  readonly length: number | null
  readonly isGzip: boolean
  /** As they arrive. What is not read is discarded. */
  readonly chunks: () => AsyncIterable<Buffer>

  constructor(length: number | null, isGzip: boolean, chunks: () => AsyncIterable<Buffer>) {
    this.length = length
    this.isGzip = isGzip
    this.chunks = chunks
  }
}
