import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { allOperations } from '../api/document.ts'
import { untilEnded } from '../api/until-ended.ts'
import { UsageError } from '../command.ts'
import { version } from '../version.ts'
import { callTool } from './call-tool.ts'
import { INVALID_PARAMS, isObject, type Method, RpcError, serveJsonRpc } from './json-rpc.ts'
import { promptMethods } from './prompts.ts'
import { describeTool, groupName, groupNames, isInGroups, type OperationTool, toolsOf } from './tools.ts'

/** Versions of the Model Context Protocol in which the methods below are the same, newest first. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

const instructions = [
  'Pharos monitors websites and services. The tools read and change what one organization has: monitors with their labels, results and',
  'uptime, detected incidents, alert contacts, status pages, incidents that are published on them, maintenance windows and webhooks. A list returns 25 items, or `limit` (100 at most); read further with `offset` until',
  '`pagination.total`, and ask for `fields` if you need only some. Fields without a value are left out. Times are ISO 8601 with an offset. Ask the user before a call that notifies people.',
].join(' ')

/** Serves the operations of the API as tools on standard input and output, until the input ends. */
export async function serveTools(pharos: Pharos, canWrite: boolean, groups?: readonly string[]): Promise<void> {
  const tools = toolsOf(allOperations())
  const known = groupNames(tools)
  const unknown = groups?.find((group) => !known.includes(group))
  if (unknown !== undefined) throw new UsageError(`--groups must be some of ${known.join(', ')}, not "${unknown}"`)
  const [streams, methods] = [
    { input: process.stdin, output: process.stdout },
    methodsOf(pharos, tools, canWrite, groups),
  ]
  await untilEnded((signal) => serveJsonRpc(streams, methods, signal))
}

function methodsOf(
  pharos: Pharos,
  all: readonly OperationTool[],
  canWrite: boolean,
  groups: readonly string[] | undefined,
): ReadonlyMap<string, Method> {
  const tools = new Map(all.map((tool) => [tool.name, tool]))
  const offered = all.filter((tool) => isInGroups(tool, groups) && (canWrite || !tool.operation.isChange))
  const notes = [
    ...(canWrite ? [] : ['Only tools that read are offered.']),
    ...(offered.length < all.length
      ? ['There are more tools: "pharos mcp" offers them with --groups and --write.']
      : []),
  ]
  return new Map<string, Method>([
    [
      'initialize',
      ({ protocolVersion: asked }) => {
        if (typeof asked !== 'string') throw new RpcError(INVALID_PARAMS, 'protocolVersion must be a string')
        return {
          // The client decides whether it speaks the version that it is offered instead of its own.
          protocolVersion: protocolVersions.find((known) => known === asked) ?? protocolVersions[0],
          capabilities: { tools: {}, prompts: {} },
          serverInfo: { name: 'pharos', title: 'Pharos', version: version() },
          instructions: [instructions, ...notes].join(' '),
        }
      },
    ],
    ['ping', () => ({})],
    ['tools/list', () => ({ tools: offered.map(describeTool) })],
    [
      'tools/call',
      ({ name, arguments: given = {} }, signal) => {
        if (typeof name !== 'string') throw new RpcError(INVALID_PARAMS, 'name must be a string')
        if (!isObject(given)) throw new RpcError(INVALID_PARAMS, 'arguments must be an object')
        const tool = tools.get(name)
        if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool ${name}`)
        if (!offered.includes(tool)) throw new RpcError(INVALID_PARAMS, notOffered(tool, canWrite))
        return callTool(pharos, tool, given, signal)
      },
    ],
    ...promptMethods(offered.map(({ name }) => name)),
  ])
}

function notOffered({ name, operation }: OperationTool, canWrite: boolean): string {
  if (operation.isChange && !canWrite) return `${name} changes something: start "pharos mcp" with --write`
  const group = groupName(operation)
  return `${name} is in the group ${group}: start "pharos mcp" with --groups default,${group}`
}
