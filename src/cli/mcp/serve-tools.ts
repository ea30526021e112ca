import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { allOperations } from '../api/document.ts'
import { version } from '../version.ts'
import { callTool } from './call-tool.ts'
import { describeTool, toolsOf } from './tools.ts'

const instructions = [
  'Pharos monitors websites and services. The tools read and change what one organization has: monitors with their labels, results and',
  'uptime, detected incidents, alert contacts, status pages, incidents that are published on them, maintenance windows and webhooks. A list returns 25 items, or `limit` (100 at most); read further with `offset` until',
  '`pagination.total`. Times are ISO 8601 with an offset. Ask the user before a call that notifies people.',
].join(' ')

/** Serves the operations of the API as tools on standard input and output, until the input ends. */
export async function serveTools(pharos: Pharos, canWrite: boolean): Promise<void> {
  const tools = new Map(toolsOf(allOperations()).map((tool) => [tool.name, tool]))
  const offered = [...tools.values()].filter(({ operation }) => canWrite || !operation.isChange)
  const server = new Server(
    { name: 'pharos', title: 'Pharos', version: version() },
    {
      capabilities: { tools: {} },
      instructions: canWrite ? instructions : `${instructions} Only tools that read are offered.`,
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: offered.map(describeTool) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.get(params.name)
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${params.name}`)
    if (!offered.includes(tool)) {
      throw new McpError(ErrorCode.InvalidParams, `${params.name} changes something: start "pharos mcp" with --write`)
    }
    return callTool(pharos, tool, params.arguments ?? {}, signal)
  })
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(new StdioServerTransport())
  const close = () => void server.close()
  process.stdin.once('end', close).once('close', close)
  process.once('SIGINT', close).once('SIGTERM', close)
  // The assistant has ended.
  process.stdout.on('error', close)
  await closed
}
