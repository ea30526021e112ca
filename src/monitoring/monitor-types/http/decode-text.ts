/** The length limit of the excerpt in a failure. */
export const EXCERPT_CHARS = 2048

/** Decodes a body chunk by chunk. */
export interface BodyTextDecoder {
  /** The text that these bytes complete. */
  decode(chunk: Uint8Array): string
  /** What is left when no more bytes come. */
  end(): string
}

/** Uses the charset of the Content-Type, else that of a byte order mark, else UTF-8. */
export function createTextDecoder(contentType: string | undefined): BodyTextDecoder {
  let decoder = decoderFor(charsetOf(contentType))
  let start: Uint8Array | null = decoder === null ? new Uint8Array() : null
  const stream = { stream: true }
  return {
    decode(chunk) {
      if (decoder !== null) return decoder.decode(chunk, stream)
      // A byte order mark has two bytes or more, and they may arrive one by one.
      start = Buffer.concat([start ?? new Uint8Array(), chunk])
      if (start.length < 2) return ''
      decoder = new TextDecoder(charsetOfMark(start))
      return decoder.decode(start, stream)
    },
    end() {
      return decoder === null ? new TextDecoder().decode(start ?? undefined) : decoder.decode()
    },
  }
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
}

function charsetOfMark(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

function decoderFor(charset: string | undefined): TextDecoder | null {
  if (charset === undefined) return null
  try {
    return new TextDecoder(charset)
  } catch {
    return null // an unknown charset
  }
}
