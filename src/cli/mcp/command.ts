import type { ClientCommand } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'

/** The command loads the rest of this folder when it runs. */
export const mcpCommand: ClientCommand = {
  name: 'mcp',
  summary: 'Serve the API as tools to AI assistants (Model Context Protocol)',
  hasOwnOutput: true,
  options: {
    write: { help: 'Also offer tools that change something (default: only tools that read)' },
    groups: {
      value: 'GROUPS',
      help: 'Offer the tools of these groups, separated by commas (default: "default", the most used ones)',
    },
    profile: { value: 'NAME', help: 'Use the server and key of a profile ("pharos login")' },
  },
  notes: () => [
    'Speaks the Model Context Protocol on standard input and output. Your assistant starts it; see docs/mcp.md.',
    'Tools that notify people have the argument "notify", which must be given. Groups are "default", "all" and those in docs/mcp.md.',
  ],
  variables: [CONNECTION_NOTE],
  async call(environment, { options }) {
    const { connect } = await import('../api/connect.ts')
    const pharos = connect(environment, options.profile)
    const { serveTools } = await import('./serve-tools.ts')
    await serveTools(pharos, options.write !== undefined, options.groups?.split(','))
    return undefined
  },
}
