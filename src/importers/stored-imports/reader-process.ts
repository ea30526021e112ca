import { readFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { isObject } from '../../lib/json.ts'
import { objectIn } from '../json-files.ts'
import { countOutcomes } from '../report.ts'
import { type ImportResult, NoSpaceError, type SourceFile, WrongFileError } from '../result.ts'
import { sources } from '../sources.ts'
import { documentLines } from './document-lines.ts'
import { lineKinds, type ReaderEnd, type ReaderTask } from './reader-protocol.ts'
import type { ReceivedFile } from './receive-files.ts'
import { reportLines } from './report-lines.ts'

const MAX_MESSAGE_CHARS = 500

const answer = await read((await json(process.stdin)) as ReaderTask)
process.stdout.write(answer.join(''), () => process.exit())

async function read({ source, files }: ReaderTask): Promise<string[]> {
  try {
    const result = await sources[source].read(files.map(openFile))
    const report = reportLines(result, heartbeatsIn(result))
    const end: ReaderEnd = { kind: 'read', counts: countOutcomes(result.objects), report: report.head }
    return [
      ...documentLines(result).map((line) => `${lineKinds.document}${line}\n`),
      ...report.lines.map((line) => `${lineKinds.objects}${line}\n`),
      `${lineKinds.end}${JSON.stringify(end)}\n`,
    ]
  } catch (error) {
    return [`${lineKinds.end}${JSON.stringify(endOf(error as Error))}\n`]
  }
}

function endOf(error: Error): ReaderEnd {
  if (error instanceof NoSpaceError) return { kind: 'wrong file', message: 'The disk of the server is too full.' }
  const message = error.message.slice(0, MAX_MESSAGE_CHARS)
  return { kind: error instanceof WrongFileError ? 'wrong file' : 'failed', message }
}

/** Readers of databases use the path, so that a large file is not in memory. */
function openFile({ name, path }: ReceivedFile): SourceFile {
  return {
    name,
    path,
    get bytes() {
      return readFileSync(path)
    },
  }
}

/** Where the job of a monitor reports to. */
function heartbeatsIn({ document }: ImportResult) {
  const monitors = objectIn(document.monitors)
  return (place: string) => {
    const monitor = monitors[place.slice('monitors.'.length)]
    const isJob = place.startsWith('monitors.') && isObject(monitor) && monitor.type === 'CRON'
    const keepsAddress = isJob && monitor.legacyAddress !== undefined
    return { keepsAddress, needsNewAddress: isJob && !keepsAddress }
  }
}
