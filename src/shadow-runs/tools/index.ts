import type { Tool } from '../verdicts.ts'
import { gatus } from './gatus.ts'
import { kuma } from './kuma.ts'
import type { ToolClient } from './tool.ts'
import { uptimeRobot } from './uptimerobot.ts'

export const toolClients: Readonly<Record<Tool, ToolClient>> = { KUMA: kuma, GATUS: gatus, UPTIMEROBOT: uptimeRobot }

/** The source of the documents that the importer of a tool writes. */
export function sourceOf(tool: Tool): string {
  return `import-${tool.toLowerCase()}`
}
