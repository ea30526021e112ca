/** Longer texts are written in chunks of this size, as the connection takes them. */
const CHUNK_CHARS = 256 * 1024

export const MAX_WHOLE_CHARS = CHUNK_CHARS

/** A text that is sent in chunks. */
export interface LargeText {
  readonly bytes: number
  /** V8 stores text that is not ASCII with two bytes per character, more or less. */
  readonly memoryBytes: number
  /** ASCII text has the same bytes as Latin-1, which is written faster. */
  readonly encoding: 'latin1' | 'utf8'
  /** Characters that are not taken yet. */
  readonly isEmpty: boolean
  /** Removes the next chunk. */
  take(): string
  /** Frees the memory. */
  discard(): void
}

export function largeText(parts: readonly string[]): LargeText {
  const rest = parts.toReversed()
  let [bytes, chars] = [0, 0]
  for (const part of parts) {
    bytes += Buffer.byteLength(part)
    chars += part.length
  }
  return {
    bytes,
    memoryBytes: bytes === chars ? chars : 2 * chars,
    encoding: bytes === chars ? 'latin1' : 'utf8',
    get isEmpty() {
      return rest.length === 0
    },
    take() {
      let chunk = rest.pop() ?? ''
      // Short parts travel together.
      while (rest.length > 0 && chunk.length + (rest.at(-1) as string).length <= CHUNK_CHARS) chunk += rest.pop()
      if (chunk.length <= CHUNK_CHARS) return chunk
      const end = endOfChunk(chunk)
      rest.push(chunk.slice(end))
      return chunk.slice(0, end)
    },
    discard() {
      rest.length = 0
    },
  }
}

/** Does not split a character that takes two units of the text. */
function endOfChunk(text: string): number {
  const isSplit = (text.charCodeAt(CHUNK_CHARS - 1) & 0xfc00) === 0xd800
  return isSplit ? CHUNK_CHARS - 1 : CHUNK_CHARS
}
