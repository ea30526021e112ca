import type { ForeignTask } from '../lib/foreign-work.ts'
import { parseStored } from '../lib/json.ts'
import { toolClients } from './tools/index.ts'
import { MAX_MONITORS, tooManyMonitors, UnexpectedAnswer } from './tools/tool.ts'
import type { TheirMonitor, Tool } from './verdicts.ts'

interface AnsweredPage {
  readonly tool: Tool
  /** The body of a 200. */
  readonly body: Uint8Array
  readonly page: number
  /** How many monitors the pages before it list. */
  readonly before: number
}

/** The monitors of a page as `matchMonitors` reads them: bytes, so that the main thread does not read them. */
export type PackedMonitors = Uint8Array

/** An error is a sentence for people. */
export type PageOutcome =
  | { readonly packed: PackedMonitors; readonly count: number; readonly nextPage: number | undefined }
  | { readonly error: string }

export const readToolPage: ForeignTask<AnsweredPage, PageOutcome> = {
  name: 'readToolPage',
  run({ tool, body, page, before }) {
    const client = toolClients[tool]
    try {
      const { monitors, nextPage } = client.read(body, page)
      const isTooMany = before + monitors.length > MAX_MONITORS
      if (isTooMany) throw tooManyMonitors(client.name, `more than ${MAX_MONITORS.toLocaleString('en')}`, MAX_MONITORS)
      return { packed: encoder.encode(JSON.stringify(monitors)), count: monitors.length, nextPage }
    } catch (error) {
      if (error instanceof UnexpectedAnswer) return { error: error.message }
      throw error
    }
  },
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function unpacked(monitors: PackedMonitors): readonly TheirMonitor[] {
  return parseStored(decoder.decode(monitors))
}
