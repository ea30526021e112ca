/** Builds the server and the dashboard, for an installation without the tools that build them. */
import { buildServer, currentBuild } from '../bin/server-build.js'
import { ensureDashboard } from '../src/cli/dashboard.ts'

const server = currentBuild() ?? buildServer()
const hasDashboard = await ensureDashboard((text) => process.stdout.write(text))
if (server === undefined) process.stdout.write('The server is not built. "npm ci" installs the build tools.\n')
if (server === undefined || !hasDashboard) process.exitCode = 1
