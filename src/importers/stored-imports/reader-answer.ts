import { lineKinds, type ReaderEnd } from './reader-protocol.ts'

/** More than a document of 16 MiB and a report of 2 MiB, which the reader keeps to. */
const MAX_BYTES = 20 * 1024 * 1024
const MAX_LINE_BYTES = 4 * 1024 * 1024
/** The only line that is parsed. */
const MAX_END_CHARS = 512 * 1024
const NEW_LINE = 0x0a

/** Receives a line of the document, or of objects of the report, as JSON. */
export type ReceiveLine = (part: 'document' | 'objects', json: string) => void

/** The output has more than that of an honest reader, or something else. */
export class HostileOutput extends Error {
  override name = 'HostileOutput'
}

/** Reads the output of the reader process, line by line. Returns undefined if it ends early. */
export async function readAnswer(output: AsyncIterable<Buffer>, receive: ReceiveLine): Promise<ReaderEnd | undefined> {
  for await (const line of linesOf(output)) {
    const kind = String.fromCharCode(line[0] ?? 0)
    const json = line.toString('utf8', 1)
    if (kind === lineKinds.document) receive('document', json)
    else if (kind === lineKinds.objects) receive('objects', json)
    else if (kind === lineKinds.end && json.length <= MAX_END_CHARS) return JSON.parse(json) as ReaderEnd
    else throw new HostileOutput()
  }
  return undefined
}

async function* linesOf(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let [total, length] = [0, 0]
  for await (const chunk of output) {
    total += chunk.length
    if (total > MAX_BYTES) throw new HostileOutput()
    let start = 0
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      length = 0
      start = end + 1
    }
    parts.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > MAX_LINE_BYTES) throw new HostileOutput()
  }
}
